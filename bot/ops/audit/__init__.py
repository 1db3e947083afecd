"""The audit of `retinue doctor --audit`: numbered checks of configuration and files, one module for each subject.

`check_list.py` lists them. A check reads the settings, the files and the rows of one bot, asks no server, and yields a
fault for each thing that would help an attacker. It changes nothing; a fault may have a fix, which never deletes.
"""
