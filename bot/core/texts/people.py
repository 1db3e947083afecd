"""What the bot says to people in their chats, in English."""

from bot.core.texts import CountedSentence, Sentence

# Lists of words: all but the last are joined by commas

AND = Sentence("{items} and {last}")
OR = Sentence("{items} or {last}")

# The beginning, and what the commands do (/start, /help)

GREETING = Sentence("Hello! Write what you want to know, or what I should do. I answer here.")
ROLES_INTRODUCED = Sentence(
    "For a large job I ask several roles to work side by side: {roles}. They post here what they find, under names "
    "like [Researcher], and /roles says what each is for. "
    "Try: “compare three ways to get to Rome by train, and what each costs”."
)
ROLES_INTRODUCED_IN_DEMO = Sentence(
    "For a large job I ask several roles to work side by side: {roles}. They post here what they find, under names "
    "like [Researcher], and /roles says what each is for. "
    "Try: “compare the README and the design page”."
)
SEE_HELP = Sentence("/help lists what else I understand.")
COMMANDS = {
    "/start": Sentence("how this works"),
    "/help": Sentence("what I understand"),
    "/new": Sentence("begin a new conversation (messages that are still waiting come first)"),
    "/stop": Sentence("stop what I am doing for you, or one role (/stop 2), or everything (/stop all)"),
    "/status": Sentence("who is working here"),
    "/agents": Sentence("who is working here on what, since when, and what it has cost"),
    "/log": Sentence("what a role has done, by its number: /log 2"),
    "/tell": Sentence("direct a role, at work or ended, by its number: /tell 2 leave out the prices"),
    "/retry": Sentence("let a role do its task again, by its number: /retry 2"),
    "/roles": Sentence("which roles I can give work to, and what each is for"),
    "/quiet": Sentence("do not show here what roles say while they work; questions and answers still come"),
    "/verbose": Sentence("show here what roles say while they work"),
    "/usage": Sentence("what this chat has cost, and what is left of its budget"),
    "/budget": Sentence("what is left for today; the owner can change the day's cap of all chats (/budget 5)"),
    "/model": Sentence("which model I use here; the owner can choose another (/model NAME)"),
    "/effort": Sentence("how much effort I put in here; the owner can change it (/effort low)"),
    "/mode": Sentence("when I answer in this group chat: /mode mentioned, /mode off or /mode always"),
    "/whereami": Sentence("the ids of this chat and of you, my mode here, and what you may use me for"),
    "/memory": Sentence("what I remember here; search it, forget one thing, choose what I keep"),
    "/schedules": Sentence("your reminders and schedules: pause, run now or delete (/schedules pause 2)"),
    "/language": Sentence("the language in which I write to you (/language de, /language auto)"),
    "/timezone": Sentence("your time zone, for reminders and schedules (/timezone Europe/Berlin)"),
    "/link": Sentence("be one person with another account of yours, with a code: /link, then /link CODE there"),
    "/unlink": Sentence("separate this account from your others"),
    "/privacy": Sentence("what becomes of what you write, and who gets to see it"),
    "/forget": Sentence("forget all that I know of you: /forget everything"),
    "/people": Sentence("what each person may use me for (only for the owner, in a private chat)"),
    "/pair": Sentence("let somebody in with their code: /pair CODE (only for the owner, in a private chat)"),
    "/groups": Sentence("which groups there are (only for the owner, in a private chat)"),
}
COMMAND_USE = Sentence("{command}: {use}.")
UNKNOWN_COMMAND = Sentence("I do not know {command}. /help lists what I understand.")
NEW_CONVERSATION = Sentence("This is a new conversation.")

# What is at work (/status)

AT_WORK_FOR = Sentence("I am working for {person}: {messages}")
DELEGATION_AT_WORK = Sentence("#{number} {role}, {state}, {time}: {task}")
DELEGATION_WITHOUT_TASK = Sentence("#{number} {role}, {state}, {time}")
ROLES_GO_ON = Sentence("They are still at work. I'll write here when they are done.")
IN_BACKGROUND = Sentence("{state} in the background")
MESSAGES_WAITING = Sentence("Messages waiting: {messages}.")
NOTHING_AT_WORK = Sentence("I am not working on anything here.")
READ_IN_CONVERSATION = Sentence("I have read {things} in this conversation.")
MESSAGE = Sentence("“{beginning}”")

# Who is at work, on what, since when, for how much (/agents)

LEAD_AT_WORK = Sentence("I have been working for {person} since {since:%H:%M}, {cost}: {messages}")
AGENT_AT_WORK = Sentence("#{number} {indent}{role}, {state}, since {since:%H:%M}, {cost}: {task}")
AGENT_WITHOUT_TASK = Sentence("#{number} {indent}{role}, {state}, since {since:%H:%M}, {cost}")

# Who there is (/roles)

ROLE_LINE = Sentence("{role}: {use}")
NO_ROLES = Sentence("I work alone here: I have no roles to give work to.")

# What a role has done (/log)

LOG_USAGE = Sentence("Write /log NUMBER. /status and the board show the numbers.")
NO_DELEGATION_WITH_NUMBER = Sentence("No role here has had the number {number}.")
LOG_FOR_ANOTHER = Sentence("Only the person that this role works for, or the owner, can read that.")
LOG_OF_ANOTHER_GROUP = Sentence("Another group has given this work, so it cannot be read here.")
LOG_HEAD = Sentence("#{number} {role}, {state}, {time}, {cost}")
LOG_HEAD_WITH_REASON = Sentence("#{number} {role}, {state} ({reason}), {time}, {cost}")
LOG_TASK = Sentence("Task: {task}")
LOG_STEP = Sentence("- {activity}")
LOG_STEP_FAILED = Sentence("- {activity} (failed)")
LOG_UPDATE = Sentence("said: {text}")
LOG_QUESTION = Sentence("asked: {text}")
LOG_STEPS_LEFT_OUT = CountedSentence("- … ({count} step is left out here)", "- … ({count} steps are left out here)")
LOG_REPORT = Sentence("Report: {report}")
LOG_NO_REPORT_YET = Sentence("It is still at work.")
LOG_NO_REPORT = Sentence("It has left no report.")
LOG_CUT = CountedSentence("{text}… ({count} more character)", "{text}… ({count} more characters)")

# A task once more (/retry)

RETRY_USAGE = Sentence("Write /retry NUMBER. The board shows the numbers.")
STILL_AT_WORK = Sentence("{role} is still at work on that. /stop {number} stops it first.")

RETRY_FOR_ANOTHER = Sentence("Only the person that this role works for, or the owner, can have that done again.")
RETRY_OF_ANOTHER_GROUP = Sentence("Another group has given this work, so it cannot be done again from here.")

# Words to a role at work (/tell, or a reply to what it said)

TELL_FOR_ANOTHER = Sentence("Only the person that this role works for, or the owner, can direct it.")
TELL_OF_ANOTHER_GROUP = Sentence("Another group has given this work, so nobody can direct it from here.")
TELL_TO_ANOTHER_GROUP = Sentence(
    "{group} is another group, which I have asked. Nobody can direct it from here; /log {number} shows what it said."
)
ROLE_IS_STOPPING = Sentence(
    "{role} ({number}) is being stopped and reads nothing more. Write to me, or to it when it has ended."
)
TELL_USAGE = Sentence("Write /tell NUMBER TEXT. /status and the board show the numbers.")
ROLE_READS_NEXT = Sentence("{role} ({number}) reads this before its next step.")
ROLE_LEFT_UNREAD = Sentence("{role} ended before it read this. I'll read it instead.")
ROLE_STOPPED_UNREAD = Sentence("{role} was stopped before it read this.")
ROLE_TAKES_UP = Sentence("{role} had ended. It works on this now, as number {number}.")
ROLE_IS_DONE = Sentence("{role} has ended and cannot work on this now. Write to me, or use /retry {number}.")
ROLE_NOT_FINISHED = Sentence("I could not finish this: {reason}.")

# Whether updates of roles are shown (/quiet, /verbose)

NOW_QUIET = Sentence(
    "I no longer show here what roles say while they work. Questions and answers still come. /verbose shows it again."
)
ALREADY_QUIET = Sentence("What roles say while they work is not shown here. /verbose shows it again.")
NOW_VERBOSE = Sentence("I show here what roles say while they work. /quiet hides it.")

# What is stopped (/stop)

STOPPED = Sentence("Stopped: {messages}.")
STOPPED_BEFORE_IT_BEGAN = Sentence("Stopped before I began: {messages}.")
STOPPED_IN_BACKGROUND = Sentence("Stopped work in the background: {roles}.")
ROLES_STOPPED = Sentence("Stopped {roles}.")
NOTHING_TO_STOP = Sentence("There is nothing to stop.")
NOTHING_TO_STOP_AND_REPORT_KEPT = Sentence(
    "There is nothing to stop. A report is ready; I'll tell you what it says when you next write."
)
ROLE_NOT_AT_WORK = Sentence(
    "{role} is no longer working on that. /stop stops what I am doing for you, and /stop all the background work too."
)
NO_SUCH_NUMBER = Sentence("No work here has the number {number}. /status shows the numbers.")
NO_SUCH_ROLE = Sentence("No role named {role} is working here. /status shows who is working.")

# What a chat has cost (/usage)

DEMO_IS_FREE = Sentence("The demo costs nothing: a script answers, not a model.")
CHAT_TODAY = Sentence("This chat today: {total}")
CHAT_THIS_MONTH = Sentence("This chat this month: {total}")
TOTAL = Sentence("{tokens:,} tokens, {cost}.")
TOTAL_ESTIMATED = Sentence("{tokens:,} tokens, {cost} ({estimated} of it estimated).")
TOTAL_UNPRICED = Sentence("{tokens:,} tokens ({unpriced:,} of them by models without a known price), {cost}.")
TOTAL_UNPRICED_ESTIMATED = Sentence(
    "{tokens:,} tokens ({unpriced:,} of them by models without a known price), {cost} ({estimated} of it estimated)."
)
COST_BY_ROLE = Sentence("Of this chat by role, today / this month: {parts}.")
COST_BY_MODEL = Sentence("Of this chat by model, today / this month: {parts}.")
COST_BY_PERSON = Sentence("Of all chats by person, today / this month: {parts}.")
COST_PART = Sentence("{name} {today} / {month}")
OTHER_COSTS = Sentence("{count} others")
SPENDER_IS_OWNER = Sentence("you")
SPENDER = Sentence("{channel} {id}")
SPENDER_WITH_NAME = Sentence("{channel} {id} ({name})")
OWN_SHARE = Sentence("You have used {spent} of your share of {share} today, so {left} is left.")
LEFT_TODAY = Sentence("Left for today: {left} (this chat may spend {chat} a day, all chats together {day}).")
LEFT_TODAY_FOR_OWNER = Sentence(
    "Left for today: {left} (this chat may spend {chat} a day, all chats together {day}, of which {kept} is kept for "
    "you)."
)
LEFT_TODAY_FOR_OTHERS = Sentence(
    "Left for today: {left} (this chat may spend {chat} a day, all chats together {day}, of which {kept} is kept for "
    "the owner)."
)

# What is left, and the owner's cap for a day (/budget)

CAP_OF_TODAY = Sentence("Today all chats together may spend {cap} in place of {usual}, until midnight ({time_zone}).")
HOW_TO_CHANGE_BUDGET = Sentence(
    "(/budget 5 lets all chats together spend $5 today; tomorrow the usual cap applies again. /budget default takes "
    "that back.)"
)
OWNER_CHANGES_BUDGET = Sentence("Only the owner can change the day's cap. /budget alone says what is left.")
NOT_AN_AMOUNT = Sentence("“{amount}” is no amount in dollars. Write for example /budget 5 or /budget 2.50.")

# The groups, for the owner (/groups)

NO_GROUPS = Sentence("There are no groups.")
MAIN_GROUP = Sentence("{group} (the main group; chats: {addresses}) may delegate to all other groups")
SENT_FOR_PERSON = Sentence("{person} has asked me to send this:\n\n{text}")
OWNER_CHAT_IS_MAIN = Sentence("No group is main, so I can delegate to every group here and in the terminal.")
GROUP_THAT_ASKS = Sentence("{group} (chat: {addresses}) may delegate to {others}")
GROUP_THAT_ASKS_NOBODY = Sentence("{group} (chat: {addresses}) is not allowed to delegate to other groups")
GROUP_OUT_OF_ORDER = Sentence("{group} has an error; run `retinue groups check` to see it")

# Memories, and whether they are kept (/memory)

MEMORY_USAGE = Sentence("(You can write /memory keep NUMBER or /memory forget NUMBER.)")
MEMORY_LINE = Sentence("{number}. “{memory}” (for {person})")
MEMORY_LINE_WITH_SOURCES = Sentence("{number}. “{memory}” (for {person}, after I read {sources})")
MEMORY_LINE_OF_PERSON = Sentence("{number}. “{memory}” (yours alone)")
MEMORY_LINE_OF_PERSON_WITH_SOURCES = Sentence("{number}. “{memory}” (yours alone, after I read {sources})")
MEMORY_LINE_OF_EVERYBODY = Sentence("{number}. “{memory}” (for everybody)")
MEMORY_LINE_OF_EVERYBODY_WITH_SOURCES = Sentence("{number}. “{memory}” (for everybody, after I read {sources})")
KEEP_MEMORIES = Sentence("Shall I remember this for later conversations?")
UNCONFIRMED_MEMORIES = Sentence("I am not sure whether to remember these:")
KEEP_OPTION = Sentence("Keep")
FORGET_OPTION = Sentence("Forget")
SOURCES = {  # what was read, as the rows name it
    "quoted words": Sentence("quoted words"),
    "files": Sentence("files"),
    "the web": Sentence("pages of the web"),
    "memories that nobody has confirmed": Sentence("memories that nobody has confirmed"),
    "what roles have read": Sentence("what roles have read"),
    "earlier conversations": Sentence("earlier conversations"),
    "schedules": Sentence("schedules"),
    "tools of other programs": Sentence("what other programs returned"),
    "skills that somebody else has written": Sentence("skills that somebody else has written"),
    "private:files": Sentence("private files"),
    "private:memories": Sentence("memories"),
    "private:earlier conversations": Sentence("earlier conversations"),
    "private:schedules": Sentence("schedules"),
    "private:other things": Sentence("private things"),
    "other people's words": Sentence("other people's words"),
}
NO_SUCH_MEMORY = Sentence("No such memory needs to be confirmed. /memory lists those that do.")
MEMORIES_KEPT = Sentence("Memories kept: {numbers}.")
MEMORIES_FORGOTTEN = Sentence("Memories forgotten: {numbers}.")
OWNER_CONFIRMS = Sentence("In a group chat, only the owner decides what I remember from other people's texts.")

# Questions, and what answers them

MAY_ROLES_START = CountedSentence(
    "1 role is about to start, and that will cost about {cost}. Shall it?",
    "{count} roles are about to start, and that will cost about {cost}. Shall they?",
)
START_COSTLY_ROLES = Sentence("Start")
DO_NOT_START_COSTLY_ROLES = Sentence("Do not start")
COST_QUESTION_IS_OPEN = Sentence("The roles still wait for your answer. Write “Start” or “Do not start”.")
NO_SUCH_QUESTION = Sentence("I did not ask that question here.")
QUESTION_FOR_ANOTHER = Sentence("That question is for somebody else.")
QUESTION_CLOSED = Sentence("That question is no longer open.")
# In place of a link that nobody but the model has named, after private things and words of others were read
LINK_LEFT_OUT = Sentence("(a link to {site} is left out: nobody has shown it to me)")
NO_SECRETS = Sentence("(Never send passwords or codes here.)")
CHOSEN = Sentence("✅ {option} — {person}")

# A message that must wait

WAITS_FOR_OWN_TURN = Sentence("I will read this when I have finished what I am doing. /stop interrupts me.")
WAITS_FOR_ROLES = CountedSentence(
    "I will read this when {roles} is done. /stop interrupts me.",
    "I will read this when {roles} are done. /stop interrupts me.",
)
WAITS_AS_NEXT = Sentence("I am working for {person}. Your message is next. /stop interrupts me.")
WAITS_BEHIND_OTHERS = Sentence(
    "I am working for {person}. Messages that come before yours: {before}. /stop interrupts me."
)
WAITS_AS_NEXT_FOR_QUESTION = Sentence(
    "I asked {person} something, and wait {minutes:.0f} min at most for the answer. Your message is next when I have "
    "finished that work. /stop interrupts me."
)
WAITS_BEHIND_OTHERS_FOR_QUESTION = Sentence(
    "I asked {person} something, and wait {minutes:.0f} min at most for the answer. Messages that come before yours: "
    "{before}. /stop interrupts me."
)

# A message that cannot be worked on

UNREADABLE = Sentence("I could not read something that you sent, so I set it aside. Please say it in another way.")
GROUP_HAS_ERROR = Sentence(
    "This group's instructions have an error, so I can't answer here. Your message is saved. Please write again "
    "when the operator has repaired the instructions."
)
REPORT_WAITS_FOR_GROUP = Sentence(
    "Some work from this chat is done, but this group's instructions have an error, so I can't read the report now. "
    "Please ask about the work when the operator has repaired the instructions."
)
REPORT_FOR_ANOTHER = Sentence(
    "Some work from this chat is done, but another agent answers here now and is not allowed to read the report."
)

# How a turn ends without an answer

STOPPED_FOR = Sentence("{reason}: {messages}.")
NO_PROGRESS = Sentence(
    "I have made no progress for {minutes:g} minutes. After {most:g} minutes I stop with what there is; /stop does it "
    "now."
)
ROLE_WITHOUT_PROGRESS = Sentence(
    "{role} has made no progress for {minutes:g} minutes. After {most:g} minutes it is stopped and its work is kept; "
    "/stop {number} does it now."
)
TEXT_STOPPED = Sentence("— stopped")
TEXT_STOPPED_FOR = Sentence("— {reason}")
LEFT = Sentence("I had to give up on {messages}: {reason}.")
NOT_FINISHED = Sentence("I could not finish {messages}: {reason}.")
NO_ANSWER = Sentence("I have no answer to this. Please ask in another way.")
NO_ROOM = Sentence(
    "My reply reached its maximum length before I had written a word of it. Please ask for less at a time."
)

# The board of roles at work

BOARD_LINE = Sentence("#{number} {indent}{role}: {state} · since {since:%H:%M} · {cost}")
BOARD_LINE_ENDED = Sentence("#{number} {indent}{role}: {state} · {time} · {cost}")
BOARD_STATE_WITH_TASK = Sentence("{state} ({task})")
BOARD_SUM = Sentence("in all {cost} of {cap}")
BOARD_SUM_WITH_ESTIMATE = Sentence("in all {cost} of {cap} · about {expected} in the end")
BOARD_CLOSED = CountedSentence("1 role · {time} · {cost}", "{count} roles · {time} · {cost}")
SUMMARY_WITH_ROLES = Sentence("{summary} · {roles}")
BOARD_LINES_LEFT_OUT = CountedSentence(
    "… and 1 more (/agents shows who works)", "… and {count} more (/agents shows who works)"
)
STATES = {  # of a delegation
    "waiting": Sentence("waiting"),
    "working": Sentence("working"),
    "asking": Sentence("has a question"),
    "completed": Sentence("done"),
    "cancelled": Sentence("stopped"),
    "budget": Sentence("at its limit"),
    "timeout": Sentence("out of time"),
    "failed": Sentence("failed"),
}

# How long something took

SECONDS = Sentence("{seconds:.0f} s")
MINUTES = Sentence("{minutes} min {seconds} s")
HOURS = Sentence("{hours} h {minutes} min")

# What somebody is doing, by the tool that is called

ACTIVITIES = {
    "read_file": Sentence("reading {things}"),
    "list_dir": Sentence("looking into {things}"),
    "write_file": Sentence("writing {things}"),
    "edit_file": Sentence("changing {things}"),
    "send_file": Sentence("sending {things}"),
    "send_message": Sentence("writing to {things}"),
    "glob": Sentence("looking for files that match {things}"),
    "grep": Sentence("looking in files for {things}"),
    "web_search": Sentence("searching the web: {things}"),
    "web_fetch": Sentence("reading {things}"),
    "use_skill": Sentence("reading the skill {things}"),
    "delegate": Sentence("delegating to {things}"),
    "shell": Sentence("running {things}"),
    "other": Sentence("using {things}"),
}
ACTIVITY_WITH_PROGRESS = Sentence("{activity}: {progress}")

# After a break

WENT_ON = Sentence("I was interrupted. I now continue with {messages}.")
WAS_AWAY = Sentence("I was away. I now answer what was written here since {time:%Y-%m-%d %H:%M}.")
RESTORED = Sentence(
    "I was restored from a back-up of {time:%Y-%m-%d %H:%M}. I no longer know what was said or done here after that. "
    "Please write again what you still need, and check what you asked me to change. An answer may come twice."
)
DISK_TAKES_NOTHING = Sentence(
    "The disk is full or read-only ({reason}). I'm waiting and will go on when it works again."
)
DISK_TAKES_AGAIN = Sentence("The disk works again. I continue now.")

# A message that could not be shown

WHOLE_ANSWER = Sentence("The whole answer is in this file.")
NOT_SHOWN = Sentence("I could not show one of my messages here: {reason}.")
NOT_SHOWN_ELSEWHERE = Sentence("I could not show a message in the {channel} chat {chat}: {reason}.")

# Faults, to the owner

AWAY_TOO_LONG = Sentence(
    "I was away for {away:.0f} hours. {channel} keeps messages for only {kept:.0f} hours, so older messages are lost."
)
CHAT_CLOSED = Sentence("I cannot write to the {channel} chat {chat} any more: {reason}.")
TOPIC_CLOSED = Sentence("I cannot write to the topic {topic} of the {channel} chat {chat} any more: {reason}.")
MODEL_FAULT = Sentence("I have a problem with the model {model}: {fault}")
CHANNEL_FAULT = Sentence("I have a problem with {channel}: {fault}")
SET_ASIDE = Sentence("{channel} sent something that I could not read, so I set it aside: {reason}.")
