"""Deliberate bugs of linking accounts and of forgetting people, as changes of the source."""

from tests.simulation.kin import KIN
from tests.simulation.mutation import Mutation

FORGETTING = "bot/journal/forgetting.py"
PERSONAL_DATA = "bot/store/personal_data.py"
SCOPES = "bot/journal/memory_scopes.py"
OF_KIN = (
    Mutation(
        name="a question that quotes a forgotten memory stays",
        path=FORGETTING,
        old="    memory_confirmation.remove_questions_about(db, [id for id, _, _ in remembered], terms)\n",
        new="",
        scenario=KIN,
    ),
    Mutation(
        name="what waits to be said to a forgotten person is said",
        path=PERSONAL_DATA,
        old="""IS_SETTLED_SQL = "(state IN ('sent', 'failed') OR (state = 'queued' AND platform_ids = '[]'))\"""",
        new="""IS_SETTLED_SQL = "state IN ('sent', 'failed')\"""",
        scenario=KIN,
    ),
    Mutation(
        name="a person is forgotten while something is on its way to them",
        path=FORGETTING,
        old="    return personal_data.has_person_work_open(db, accounts) or personal_data.are_messages_on_their_way(\n"
        "        db, accounts, private, but\n    )\n",
        new="    return bool(private) and personal_data.has_person_work_open(db, accounts)\n",
        scenario=KIN,
    ),
    Mutation(
        name="the schedules of a forgotten person stay",
        path=FORGETTING,
        old="    personal_data.delete_schedules(db, accounts)\n",
        new="",
        scenario=KIN,
    ),
    Mutation(
        name="the files of a forgotten person stay",
        path=PERSONAL_DATA,
        old="    incoming_files.forget_files_of_messages(",
        new="    str(",
        scenario=KIN,
    ),
    Mutation(
        name="only one account of a person is forgotten",
        path="bot/journal/people.py",
        old="    return list(dict.fromkeys([*named, *linked]))\n",
        new="    return list(dict.fromkeys([*named, *linked][:1]))\n",
        scenario=KIN,
    ),
    Mutation(
        name="a conversation goes on after somebody in it was forgotten",
        path=FORGETTING,
        old="        openings.leave_conversation(db, session, terms.now)\n        if personal_data",
        new="        if personal_data",
        scenario=KIN,
    ),
    Mutation(
        name="a memory does not follow a link",
        path=SCOPES,
        old="    accounts = list_account_keys(db, address.channel, person, terms)\n    return",
        new="    accounts = list_account_keys(db, address.channel, person, terms)[:1]\n    return",
        scenario=KIN,
    ),
    Mutation(
        name="a person's memories are seen in a group chat",
        path=SCOPES,
        old="    if group or not is_private:\n        return shared\n",
        new="    if group:\n        return shared\n",
        scenario=KIN,
    ),
    Mutation(
        name="everybody's memories are found by everybody",
        path="bot/journal/people.py",
        old="people.account_key(each.channel, each.account) for each in list_accounts_of_person(db, person, terms)]\n",
        new="people.account_key(each.channel, each.account) for each in people.list_linked_accounts(db)]\n",
        scenario=KIN,
    ),
    Mutation(
        name="a forgotten memory stays in the index",
        path="bot/store/memories.py",
        old="    remove_from_index(db, MEMORY_INDEX, where, id, scope.column_value)\n",
        new="",
        scenario=KIN,
    ),
    Mutation(
        name="what a forgotten person said where others write stays in the index",
        path="bot/store/conversation_passages.py",
        old="    remove_from_index(db, CONVERSATION_INDEX, where, [*turns])\n",
        new="",
        scenario=KIN,
    ),
)
