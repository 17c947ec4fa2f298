<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name></name>
    <message numerus="yes">
        <source>%n min ago</source>
        <translation>
            <numerusform>%n min ago</numerusform>
            <numerusform>%n min ago</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n h ago</source>
        <translation>
            <numerusform>%n h ago</numerusform>
            <numerusform>%n h ago</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n d ago</source>
        <translation>
            <numerusform>%n d ago</numerusform>
            <numerusform>%n d ago</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools are held back</source>
        <translation>
            <numerusform>%n tool is held back</numerusform>
            <numerusform>%n tools are held back</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools</source>
        <translation>
            <numerusform>%n tool</numerusform>
            <numerusform>%n tools</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n servers</source>
        <translation>
            <numerusform>%n server</numerusform>
            <numerusform>%n servers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools ready</source>
        <translation>
            <numerusform>%n tool ready</numerusform>
            <numerusform>%n tools ready</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n apps connected</source>
        <translation>
            <numerusform>%n app connected</numerusform>
            <numerusform>%n apps connected</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failing</source>
        <translation>
            <numerusform>%n failing</numerusform>
            <numerusform>%n failing</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n waiting for you</source>
        <translation>
            <numerusform>%n waiting for you</numerusform>
            <numerusform>%n waiting for you</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>listed %n tools</source>
        <translation>
            <numerusform>listed %n tool</numerusform>
            <numerusform>listed %n tools</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{ready} of %n servers ready</source>
        <translation>
            <numerusform>{ready} of %n server ready</numerusform>
            <numerusform>{ready} of %n servers ready</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other apps</source>
        <translation>
            <numerusform>%n other app</numerusform>
            <numerusform>%n other apps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>We found %n servers in {apps} on this computer.</source>
        <translation>
            <numerusform>We found %n server in {apps} on this computer.</numerusform>
            <numerusform>We found %n servers in {apps} on this computer.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files outside its home</source>
        <translation>
            <numerusform>%n file outside its home</numerusform>
            <numerusform>%n files outside its home</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hosts</source>
        <translation>
            <numerusform>%n host</numerusform>
            <numerusform>%n hosts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n programs</source>
        <translation>
            <numerusform>%n program</numerusform>
            <numerusform>%n programs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more things it tried are not listed.</source>
        <translation>
            <numerusform>%n more thing it tried is not listed.</numerusform>
            <numerusform>%n more things it tried are not listed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools beyond the limit</source>
        <translation>
            <numerusform>%n tool beyond the limit</numerusform>
            <numerusform>%n tools beyond the limit</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools whose name can’t be read</source>
        <translation>
            <numerusform>%n tool whose name can’t be read</numerusform>
            <numerusform>%n tools whose name can’t be read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools with a name that another one has</source>
        <translation>
            <numerusform>%n tool with a name that another one has</numerusform>
            <numerusform>%n tools with a name that another one has</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n descriptions shortened</source>
        <translation>
            <numerusform>%n description shortened</numerusform>
            <numerusform>%n descriptions shortened</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n schemas too large</source>
        <translation>
            <numerusform>%n schema too large</numerusform>
            <numerusform>%n schemas too large</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n schemas too deep</source>
        <translation>
            <numerusform>%n schema too deep</numerusform>
            <numerusform>%n schemas too deep</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n descriptions of parameters shortened</source>
        <translation>
            <numerusform>%n description of a parameter shortened</numerusform>
            <numerusform>%n descriptions of parameters shortened</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n composed parts of schemas left out</source>
        <translation>
            <numerusform>%n composed part of a schema left out</numerusform>
            <numerusform>%n composed parts of schemas left out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n references to other places left out</source>
        <translation>
            <numerusform>%n reference to another place left out</numerusform>
            <numerusform>%n references to other places left out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n texts with HTML taken out</source>
        <translation>
            <numerusform>%n text with HTML taken out</numerusform>
            <numerusform>%n texts with HTML taken out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n texts with hidden characters taken out</source>
        <translation>
            <numerusform>%n text with hidden characters taken out</numerusform>
            <numerusform>%n texts with hidden characters taken out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n icons left out</source>
        <translation>
            <numerusform>%n icon left out</numerusform>
            <numerusform>%n icons left out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools of {name} are held back</source>
        <translation>
            <numerusform>%n tool of {name} is held back</numerusform>
            <numerusform>%n tools of {name} are held back</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n things need you</source>
        <translation>
            <numerusform>%n thing needs you</numerusform>
            <numerusform>%n things need you</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ActivityPage</name>
    <message numerus="yes">
        <source>%n entries written to {name}.</source>
        <translation>
            <numerusform>%n entry written to {name}.</numerusform>
            <numerusform>%n entries written to {name}.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Application</name>
    <message numerus="yes">
        <source>This stops all servers (%n running). Apps lose their tools.</source>
        <translation>
            <numerusform>This stops all servers (%n running). Apps lose their tools.</numerusform>
            <numerusform>This stops all servers (%n running). Apps lose their tools.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AttentionPage</name>
    <message numerus="yes">
        <source>Approve all %n</source>
        <translation>
            <numerusform>Approve all %n</numerusform>
            <numerusform>Approve all %n</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Approve %n without findings</source>
        <translation>
            <numerusform>Approve %n without findings</numerusform>
            <numerusform>Approve %n without findings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools are held back</source>
        <translation>
            <numerusform>%n tool is held back</numerusform>
            <numerusform>%n tools are held back</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CloudCard</name>
    <message numerus="yes">
        <source>It works: %n tools in {time}.</source>
        <translation>
            <numerusform>It works: %n tool in {time}.</numerusform>
            <numerusform>It works: %n tools in {time}.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>EmptyState</name>
    <message numerus="yes">
        <source>Import %n servers…</source>
        <translation>
            <numerusform>Import %n server…</numerusform>
            <numerusform>Import %n servers…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>GuideDialog</name>
    <message numerus="yes">
        <source>Import %n servers</source>
        <translation>
            <numerusform>Import %n server</numerusform>
            <numerusform>Import %n servers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Connect %n apps</source>
        <translation>
            <numerusform>Connect %n app</numerusform>
            <numerusform>Connect %n apps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>OptimizationPage</name>
    <message numerus="yes">
        <source>%n pinned tools: {names}</source>
        <translation>
            <numerusform>%n pinned tool: {names}</numerusform>
            <numerusform>%n pinned tools: {names}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Apps get a few tools instead of %n tool definitions.</source>
        <translation>
            <numerusform>Apps get a few tools instead of %n tool definition.</numerusform>
            <numerusform>Apps get a few tools instead of %n tool definitions.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Apps get all %n tool definitions with every request.</source>
        <translation>
            <numerusform>Apps get the %n tool definition with every request.</numerusform>
            <numerusform>Apps get all %n tool definitions with every request.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>OptionsTab</name>
    <message numerus="yes">
        <source>%n pinned tools: {names}</source>
        <translation>
            <numerusform>%n pinned tool: {names}</numerusform>
            <numerusform>%n pinned tools: {names}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PasteBox</name>
    <message numerus="yes">
        <source>%n servers: {names}</source>
        <translation>
            <numerusform>%n server: {names}</numerusform>
            <numerusform>%n servers: {names}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Import all %n</source>
        <translation>
            <numerusform>Import all %n</numerusform>
            <numerusform>Import all %n</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PauseControl</name>
    <message numerus="yes">
        <source>Paused, %n new</source>
        <translation>
            <numerusform>Paused, %n new</numerusform>
            <numerusform>Paused, %n new</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PermissionPrompt</name>
    <message numerus="yes">
        <source>Counts as no in %n s.</source>
        <translation>
            <numerusform>Counts as no in %n s.</numerusform>
            <numerusform>Counts as no in %n s.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more wait.</source>
        <translation>
            <numerusform>%n more waits.</numerusform>
            <numerusform>%n more wait.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PinPicker</name>
    <message numerus="yes">
        <source>%n pinned tools, {tokens} tokens in every conversation.</source>
        <translation>
            <numerusform>%n pinned tool, {tokens} tokens in every conversation.</numerusform>
            <numerusform>%n pinned tools, {tokens} tokens in every conversation.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ResultColumn</name>
    <message numerus="yes">
        <source>%n tools</source>
        <translation>
            <numerusform>%n tool</numerusform>
            <numerusform>%n tools</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SavingsCard</name>
    <message numerus="yes">
        <source>tokens · %n requests</source>
        <translation>
            <numerusform>tokens · %n request</numerusform>
            <numerusform>tokens · %n requests</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ScriptsDialog</name>
    <message numerus="yes">
        <source>%n scripts have changes that are not saved.</source>
        <translation>
            <numerusform>%n script has changes that are not saved.</numerusform>
            <numerusform>%n scripts have changes that are not saved.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ServersTab</name>
    <message numerus="yes">
        <source>%n tools</source>
        <translation>
            <numerusform>%n tool</numerusform>
            <numerusform>%n tools</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message numerus="yes">
        <source>%n servers</source>
        <translation>
            <numerusform>%n server</numerusform>
            <numerusform>%n servers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ToolList</name>
    <message numerus="yes">
        <source>Filter %n tools</source>
        <translation>
            <numerusform>Filter %n tool</numerusform>
            <numerusform>Filter %n tools</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ToolModel</name>
    <message numerus="yes">
        <source>%n tokens</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TrayMenu</name>
    <message numerus="yes">
        <source>%n more…</source>
        <translation>
            <numerusform>%n more…</numerusform>
            <numerusform>%n more…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>_Bar</name>
    <message numerus="yes">
        <source>%n percent of the full context</source>
        <translation>
            <numerusform>%n percent of the full context</numerusform>
            <numerusform>%n percent of the full context</numerusform>
        </translation>
    </message>
</context>
</TS>
