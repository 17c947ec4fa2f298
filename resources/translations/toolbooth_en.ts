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
        <source>%n tools</source>
        <translation>
            <numerusform>%n tool</numerusform>
            <numerusform>%n tools</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Listed %n tools</source>
        <translation>
            <numerusform>Listed %n tool</numerusform>
            <numerusform>Listed %n tools</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n items need approval</source>
        <translation>
            <numerusform>%n item needs approval</numerusform>
            <numerusform>%n items need approval</numerusform>
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
        <source>%n pending</source>
        <translation>
            <numerusform>%n pending</numerusform>
            <numerusform>%n pending</numerusform>
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
        <source>%n files outside its home folder</source>
        <translation>
            <numerusform>%n file outside its home folder</numerusform>
            <numerusform>%n files outside its home folder</numerusform>
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
        <source>%n more attempts are not listed.</source>
        <translation>
            <numerusform>%n more attempt is not listed.</numerusform>
            <numerusform>%n more attempts are not listed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools over the limit in Settings</source>
        <translation>
            <numerusform>%n tool over the limit in Settings</numerusform>
            <numerusform>%n tools over the limit in Settings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n prompts and resources over the limit</source>
        <translation>
            <numerusform>%n prompt or resource over the limit</numerusform>
            <numerusform>%n prompts and resources over the limit</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools with an invalid name</source>
        <translation>
            <numerusform>%n tool with an invalid name</numerusform>
            <numerusform>%n tools with an invalid name</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools with a duplicate name</source>
        <translation>
            <numerusform>%n tool with a duplicate name</numerusform>
            <numerusform>%n tools with a duplicate name</numerusform>
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
        <source>%n schemas nested too deeply</source>
        <translation>
            <numerusform>%n schema nested too deeply</numerusform>
            <numerusform>%n schemas nested too deeply</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n parameter descriptions shortened</source>
        <translation>
            <numerusform>%n parameter description shortened</numerusform>
            <numerusform>%n parameter descriptions shortened</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n schema compositions removed</source>
        <translation>
            <numerusform>%n schema composition removed</numerusform>
            <numerusform>%n schema compositions removed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n external references removed</source>
        <translation>
            <numerusform>%n external reference removed</numerusform>
            <numerusform>%n external references removed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n texts with HTML removed</source>
        <translation>
            <numerusform>%n text with HTML removed</numerusform>
            <numerusform>%n texts with HTML removed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n texts with hidden characters removed</source>
        <translation>
            <numerusform>%n text with hidden characters removed</numerusform>
            <numerusform>%n texts with hidden characters removed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n icons removed</source>
        <translation>
            <numerusform>%n icon removed</numerusform>
            <numerusform>%n icons removed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n items of {name} need approval</source>
        <translation>
            <numerusform>%n item of {name} needs approval</numerusform>
            <numerusform>%n items of {name} need approval</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n items need attention</source>
        <translation>
            <numerusform>%n item needs attention</numerusform>
            <numerusform>%n items need attention</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ActivityPage</name>
    <message numerus="yes">
        <source>Exported %n entries to {name}.</source>
        <translation>
            <numerusform>Exported %n entry to {name}.</numerusform>
            <numerusform>Exported %n entries to {name}.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Application</name>
    <message numerus="yes">
        <source>This stops all servers (%n running). Apps lose access to their tools.</source>
        <translation>
            <numerusform>This stops all servers (%n running). Apps lose access to their tools.</numerusform>
            <numerusform>This stops all servers (%n running). Apps lose access to their tools.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AttentionPage</name>
    <message numerus="yes">
        <source>%n items need approval</source>
        <translation>
            <numerusform>%n item needs approval</numerusform>
            <numerusform>%n items need approval</numerusform>
        </translation>
    </message>
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
</context>
<context>
    <name>CloudCard</name>
    <message numerus="yes">
        <source>Connected: %n tools in {time}.</source>
        <translation>
            <numerusform>Connected: %n tool in {time}.</numerusform>
            <numerusform>Connected: %n tools in {time}.</numerusform>
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
        <source>Denied automatically in %n s</source>
        <translation>
            <numerusform>Denied automatically in %n s</numerusform>
            <numerusform>Denied automatically in %n s</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more waiting</source>
        <translation>
            <numerusform>%n more waiting</numerusform>
            <numerusform>%n more waiting</numerusform>
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
    <name>PinsRow</name>
    <message numerus="yes">
        <source>%n pinned tools: {names}</source>
        <translation>
            <numerusform>%n pinned tool: {names}</numerusform>
            <numerusform>%n pinned tools: {names}</numerusform>
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
        <source>%n percent of the full context</source>
        <translation>
            <numerusform>%n percent of the full context</numerusform>
            <numerusform>%n percent of the full context</numerusform>
        </translation>
    </message>
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
        <source>%n scripts have unsaved changes.</source>
        <translation>
            <numerusform>%n script has unsaved changes.</numerusform>
            <numerusform>%n scripts have unsaved changes.</numerusform>
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
</TS>
