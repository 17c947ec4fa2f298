-- Runs one script: what it can reach, its calls and their answers, its limits.
--
-- The worker hands over one line at a time and gets one line back; nothing else passes between Lua and
-- the outside. What scripts can change (string's methods, their own globals) is never used in here:
-- everything this chunk needs is a local taken before the script exists.

local json = ...
local error, getmetatable, next, pcall, rawget, select, setmetatable, tostring, type, xpcall =
  error, getmetatable, next, pcall, rawget, select, setmetatable, tostring, type, xpcall
local load, pack, unpack, concat, remove = load, table.pack, table.unpack, table.concat, table.remove
local find, format, gsub = string.find, string.format, string.gsub
local getinfo, metatable_of, sethook = debug.getinfo, debug.getmetatable, debug.sethook
local create, resume, status, yield, close =
  coroutine.create, coroutine.resume, coroutine.status, coroutine.yield, coroutine.close
local encode, null, quoted, value_of_text = json.encode, json.null, json.quoted, json.value_of_text

local AWAIT = {} -- what a coroutine yields that waits for an answer; scripts never get hold of it
local STOP = {} -- the error that ends a script which is out of instructions
local STEP = 10000

local limits, main
local stopped = false
local instructions, calls, pending, at_once = 0, 0, 0, 0
local promises, queue = {}, {}
local printed, printed_length = {}, 0
local answer -- what goes back for the line at hand
local result_text

-- Limits

-- Set for every coroutine, since a hook belongs to one. Over the limit the script can't continue:
-- `pcall` and `xpcall` raise this error again.
local function tick()
  instructions = instructions + STEP
  if instructions > limits.instructions then
    stopped = true
    error(STOP, 0)
  end
end

local function unless_stopped(...)
  if stopped then error(STOP, 0) end
  return ...
end

-- The message of an error raised in here is not about these lines, but about the script's.
local function without_place(failure, ...)
  if type(failure) ~= "string" then return failure, ... end
  local text = gsub(failure, "^sandbox:%d+: ", "")
  text = gsub(text, "^json:%d+: ", "")
  return text, ...
end

local function caught(ok, ...)
  unless_stopped()
  if ok then return ok, ... end
  return ok, without_place(...)
end

local function hooked(body)
  local thread = create(body)
  sethook(thread, tick, "", STEP)
  return thread
end

-- Calls

local state = setmetatable({}, { __mode = "k" })
local methods = {}

-- Whatever a script does with a call but await, cancel or pass it on is a forgotten `:await()`.
local function not_awaited(promise)
  local known = state[promise]
  error("the result of " .. (known and known.name or "a call") .. " was not awaited: call :await() on it first", 3)
end

local PROMISE = {
  __name = "promise",
  __metatable = "promise",
  __index = function(promise, name)
    return methods[name] or not_awaited(promise)
  end,
  __tostring = function(promise) return state[promise].name .. "{…}, not awaited" end,
  __unwritable = "a promise has no value yet: call :await() on it first",
}
for name in string.gmatch("newindex len pairs call unm concat add sub mul div mod pow idiv lt le band bor bxor shl shr bnot", "%l+") do
  PROMISE["__" .. name] = function(one, other)
    not_awaited(state[one] and one or other)
  end
end

-- Stands for the result of a call that failed: using it as a result raises the error.
local FAILED = {
  __name = "failed call",
  __metatable = "failed call",
  __index = function(failed) error(rawget(failed, "error"), 2) end,
}

local function state_of(promise, method)
  return state[promise] or error("write promise:" .. method .. "(), with a colon", 3)
end

local function settle(known, field, value)
  if known.settled then return end
  known.settled, known[field] = true, value
  pending = pending - 1
  promises[known.id] = nil
end

local function send_calls()
  while at_once < limits.at_once and #queue > 0 do
    local known = remove(queue, 1)
    if not known.settled then
      at_once, known.sent = at_once + 1, true
      answer.calls[#answer.calls + 1] = known.text
    end
  end
end

local function or_nil(value)
  if value == null then return nil end
  return value
end

local function tell_progress(known)
  while #known.progress > 0 do
    local done, total, message = unpack(remove(known.progress, 1), 1, 3)
    known.on_progress(done, or_nil(total), or_nil(message))
  end
end

local function settled(known)
  while not known.settled do
    yield(AWAIT)
    tell_progress(known)
  end
end

function methods.await(promise)
  local known = state_of(promise, "await")
  settled(known)
  if known.failure then error(known.failure, 0) end
  return known.value
end

function methods.cancel(promise)
  local known = state_of(promise, "cancel")
  if known.settled then return end
  if known.sent then answer.cancel[#answer.cancel + 1] = tostring(known.id) end
  settle(known, "failure", "the script cancelled this call")
end

local function await_all(...)
  local given = select(1, ...)
  if select("#", ...) ~= 1 or state[given] then given = pack(...); given.n = nil end
  if type(given) ~= "table" then error("await_all takes a table of promises", 2) end
  local values, errors = #given > 0 and json.array() or {}, {}
  for key, promise in next, given do
    local known = state[promise]
    if known then settled(known) end
    if known and known.failure then
      values[key], errors[key] = setmetatable({ error = known.failure }, FAILED), known.failure
    elseif known then
      values[key] = known.value
    else
      values[key] = promise
    end
  end
  return values, errors
end

local function check_room()
  if calls >= limits.calls then
    error(format("The script has made %d calls, as many as one may make.", calls), 4)
  end
  if pending >= limits.pending then
    error(format("%d calls wait for an answer, as many as may at once. Await some first.", pending), 4)
  end
end

local function call(server, tool, arguments, options)
  check_room()
  local given = encode(arguments or {}, limits.arguments_bytes, "The arguments are too large.")
  if not find(given, "^{") then
    error("Arguments have names: " .. tool .. "{name = value}.", 3)
  end
  calls, pending = calls + 1, pending + 1
  local known = { id = calls, name = server .. "." .. tool, settled = false, progress = {} }
  known.on_progress = type(options) == "table" and rawget(options, "on_progress") or nil
  known.text = format('{"id":%d,"server":%s,"tool":%s,"arguments":%s,"progress":%s}', calls,
    quoted(server), quoted(tool), given, tostring(known.on_progress ~= nil))
  promises[calls] = known
  queue[#queue + 1] = known
  send_calls()
  local promise = setmetatable({}, PROMISE)
  state[promise] = known
  return promise
end

local servers = setmetatable({}, { __mode = "k" })

local function server_called(name)
  local server = setmetatable({}, {
    __name = "server",
    __metatable = "server",
    __unwritable = "a server has no form in JSON",
    __tostring = function() return "server " .. name end,
    __newindex = function() error("a server can't be changed", 2) end,
    __index = function(_, tool)
      if type(tool) ~= "string" then error("a tool is named by a string", 2) end
      return function(arguments, options)
        if servers[arguments] then error(format("write %s.%s{…}, with a dot", name, tool), 2) end
        return call(name, tool, arguments, options)
      end
    end,
  })
  servers[server] = true
  return server
end

local function take(event)
  local known = promises[event.id]
  if event.progress then
    if known and known.on_progress then known.progress[#known.progress + 1] = event.progress end
    return
  end
  at_once = at_once - 1
  if not known then return end
  if event.error then settle(known, "failure", event.error)
  elseif event.text then settle(known, "value", value_of_text(event.text))
  else settle(known, "value", event.value) end
end

-- What scripts reach

-- A table as JSON, which says more than its address.
local function shown(value)
  local mark = metatable_of(value)
  if type(value) ~= "table" or mark and rawget(mark, "__tostring") then return tostring(value) end
  local is_json, text = pcall(encode, value, limits.output_bytes, "it is too large to be printed")
  if stopped then error(STOP, 0) end
  return is_json and text or tostring(value) .. " (" .. tostring(text) .. ")"
end

local function print(...)
  local words = {}
  for place = 1, select("#", ...) do words[place] = shown((select(place, ...))) end
  local line = concat(words, "\t") .. "\n"
  if printed_length > limits.output_bytes then return end
  printed_length = printed_length + #line
  printed[#printed + 1] = printed_length <= limits.output_bytes and line
    or format("(What was printed is cut at %d KB.)\n", limits.output_bytes // 1024)
end

local function result(value)
  local too_long = format("The result is larger than %d KB. Return less of it.", limits.output_bytes // 1024)
  result_text = encode(value, limits.output_bytes, too_long)
end

local function progress(done, total, message)
  if type(done) ~= "number" then error("progress(done, total, message): done is a number", 2) end
  answer.progress = encode({ done, total or null, message and tostring(message) or null }, 10000)
end

-- If a coroutine of the script awaits a call, the coroutines that resumed it wait too.
local function resumed(thread, ...)
  local got = pack(resume(thread, ...))
  while got[1] and got[2] == AWAIT do
    yield(AWAIT)
    got = pack(resume(thread))
  end
  return caught(unpack(got, 1, got.n))
end

local function or_error(ok, ...)
  if not ok then error((...), 0) end
  return ...
end

local function wrapped(body)
  local thread = hooked(body)
  return function(...) return or_error(resumed(thread, ...)) end
end

-- Finalizers run without the hook, so that their instructions would not be counted.
local function set_metatable(value, metatable)
  if type(metatable) == "table" and rawget(metatable, "__gc") ~= nil then
    error("__gc is not available in scripts", 2)
  end
  return setmetatable(value, metatable)
end

local function encode_json(value)
  local written, text = pcall(encode, value)
  if not written then error(unless_stopped(text), 2) end
  return text
end

local function decode_json(text)
  if type(text) ~= "string" then error("json.decode takes a text", 2) end
  local read, value = pcall(json.decode, text)
  if not read then error(unless_stopped(value), 2) end
  return value
end

local function copy(library, ...)
  local chosen = {}
  for place = 1, select("#", ...) do
    local name = select(place, ...)
    chosen[name] = library[name]
  end
  return chosen
end

local function environment(servers, arguments)
  local own = copy(_G, "assert", "error", "getmetatable", "ipairs", "next", "pairs", "rawequal", "rawget",
    "rawlen", "rawset", "select", "tonumber", "tostring", "type", "_VERSION")
  own._G = own
  own.print, own.result, own.progress, own.await_all = print, result, progress, await_all
  own.null, own.array, own.arguments = null, json.array, arguments
  own.setmetatable = set_metatable
  own.json = { decode = decode_json, encode = encode_json }
  own.pcall = function(...) return caught(pcall(...)) end
  own.xpcall = function(body, handler, ...)
    -- A handler of the hook's error would run without the hook.
    local function handle(...)
      if not stopped then return handler(without_place(...)) end
    end
    return unless_stopped(xpcall(body, handle, ...))
  end
  own.load = function(text, name, _, variables)
    if type(text) ~= "string" then error("load takes the text of a chunk", 2) end
    return load(text, name, "t", variables == nil and own or variables)
  end
  own.coroutine = copy(coroutine, "isyieldable", "running", "status", "yield")
  own.coroutine.create, own.coroutine.wrap, own.coroutine.resume = hooked, wrapped, resumed
  own.coroutine.close = function(thread) return caught(close(thread)) end
  own.math = copy(math, "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge",
    "log", "max", "maxinteger", "min", "mininteger", "modf", "pi", "rad", "random", "randomseed", "sin",
    "sqrt", "tan", "tointeger", "type", "ult")
  own.os = copy(os, "clock", "date", "difftime", "time")
  own.string = copy(string, "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match",
    "pack", "packsize", "rep", "reverse", "sub", "unpack", "upper")
  own.table = copy(table, "concat", "insert", "move", "pack", "remove", "sort", "unpack")
  own.utf8 = copy(utf8, "char", "charpattern", "codepoint", "codes", "len", "offset")
  local strings = getmetatable("")
  strings.__index, strings.__metatable = own.string, "string"
  for _, name in next, servers do own[name] = server_called(name) end
  return own
end

-- The life of a script

local function text_of(failure)
  local mark = metatable_of(failure)
  if type(failure) ~= "table" or mark and rawget(mark, "__tostring") then
    return (without_place(tostring(failure)))
  end
  local written, text = pcall(encode, failure, limits.output_bytes, "")
  return written and text or tostring(failure)
end

local function describe(failure)
  if stopped then return nil end
  local place
  for level = 2, 50 do
    local info = getinfo(level, "Sl")
    if not info then break end
    if info.short_src == "script" and info.currentline > 0 then place = info.currentline; break end
  end
  return { text = text_of(failure), line = place }
end

local function outcome(ok, failure)
  local said = concat(printed)
  if stopped then return format('{"stopped":"instructions","printed":%s}', quoted(said)) end
  if not ok then
    failure = type(failure) == "table" and failure or { text = tostring(failure) }
    return format('{"error":%s,"line":%s,"printed":%s}', quoted(failure.text),
      tostring(failure.line or "null"), quoted(said))
  end
  return format('{"result":%s,"printed":%s}', result_text or "null,\"none\":true", quoted(said))
end

-- A call that is never awaited is still made.
local function await_the_rest()
  local _, known = next(promises)
  while known do
    while not known.settled do yield(AWAIT) end
    if known.failure then
      error(format("call %d (%s), which nobody awaited: %s", known.id, known.name, known.failure), 0)
    end
    _, known = next(promises)
  end
end

local function body(script, variables)
  return function()
    local chunk, problem = load(script, "=script", "t", variables)
    if not chunk then return false, { text = problem } end
    return xpcall(function()
      local returned = pack(chunk())
      await_the_rest()
      if result_text == nil and returned.n > 0 and returned[1] ~= nil then result(returned[1]) end
    end, describe)
  end
end

local function step()
  local alive, ok, failure = resume(main)
  if alive and ok == AWAIT then return end
  if not alive then
    ok, failure = false, ok
  elseif status(main) ~= "dead" then
    ok, failure = false, "coroutine.yield outside of a coroutine"
  end
  answer.done = outcome(ok, failure)
end

local function written()
  local parts = { '{"calls":[' .. concat(answer.calls, ",") .. "]" }
  if #answer.cancel > 0 then parts[#parts + 1] = '"cancel":[' .. concat(answer.cancel, ",") .. "]" end
  if answer.progress then parts[#parts + 1] = '"progress":' .. answer.progress end
  if answer.done then parts[#parts + 1] = '"done":' .. answer.done end
  return concat(parts, ",") .. "}", answer.done ~= nil
end

local line

-- The first line starts the script; each later one has the events of its calls.
local function go_on()
  local message = json.decode(line)
  answer = { calls = {}, cancel = {} }
  if main == nil then
    limits = message.limits
    main = hooked(body(message.script, environment(message.servers, message.arguments)))
  else
    for _, event in next, message.events do take(event) end
    send_calls()
  end
  line = nil
  step()
  return written()
end

return function(given) line = given end, go_on
