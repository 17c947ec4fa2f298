-- JSON as scripts see it: null, arrays and objects are distinct.
--
-- `null` stands for JSON's null. A table that came from an array, or that `array` made, is written as
-- an array even when it is empty; any other table is one if its keys are 1 to n and there are any.

local error, getmetatable, next, pcall, rawget, rawlen, setmetatable, tonumber, tostring, type =
  error, debug.getmetatable, next, pcall, rawget, rawlen, setmetatable, tonumber, tostring, type
local byte, find, format, gsub, match, sub =
  string.byte, string.find, string.format, string.gsub, string.match, string.sub
local concat, sort = table.concat, table.sort
local huge, integer_kind, tointeger = math.huge, math.type, math.tointeger
local character = utf8.char

local MAX_DEPTH = 100
local ARRAY = { __name = "array", __metatable = "array" }
local null = setmetatable({}, {
  __name = "null",
  __metatable = "null",
  __tostring = function() return "null" end,
  __newindex = function() error("null has no fields", 2) end,
})

local function array(list)
  return setmetatable(list or {}, ARRAY)
end

-- Reading

local ESCAPED = {
  ['"'] = '"', ["\\"] = "\\", ["/"] = "/",
  b = "\b", f = "\f", n = "\n", r = "\r", t = "\t",
}
local WORDS = { t = { "true", true }, f = { "false", false }, n = { "null", null } }
local read

local function malformed(place)
  error("no JSON at character " .. place, 0)
end

-- The code point of the \u at `place`, and where it ends. Half a pair becomes U+FFFD.
local function read_code_point(text, place)
  local code = tonumber(match(text, "^\\u(%x%x%x%x)", place) or malformed(place), 16)
  local after = place + 6
  if code >= 0xD800 and code <= 0xDBFF then
    local low = tonumber(match(text, "^\\u(%x%x%x%x)", after) or "0", 16)
    if low >= 0xDC00 and low <= 0xDFFF then
      return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), after + 6
    end
    return 0xFFFD, after
  end
  if code >= 0xDC00 and code <= 0xDFFF then return 0xFFFD, after end
  return code, after
end

local function unescape(text, from, stop)
  local parts, place = {}, from
  while true do
    local mark = find(text, "\\", place, true)
    if not mark or mark >= stop then break end
    parts[#parts + 1] = sub(text, place, mark - 1)
    local letter = sub(text, mark + 1, mark + 1)
    if letter == "u" then
      local code
      code, place = read_code_point(text, mark)
      parts[#parts + 1] = character(code)
    else
      parts[#parts + 1] = ESCAPED[letter] or malformed(mark)
      place = mark + 2
    end
  end
  parts[#parts + 1] = sub(text, place, stop - 1)
  return concat(parts)
end

local function read_string(text, from)
  local stop = find(text, '["\\]', from) or malformed(from)
  if byte(text, stop) == 34 then return sub(text, from, stop - 1), stop + 1 end
  while byte(text, stop) ~= 34 do
    stop = find(text, '["\\]', stop + 2) or malformed(from)
  end
  return unescape(text, from, stop), stop + 1
end

local function skip(text, place)
  return find(text, "[^ \t\r\n]", place) or malformed(#text + 1)
end

local function read_array(text, place, depth)
  local list, count = array(), 0
  place = skip(text, place)
  if byte(text, place) == 93 then return list, place + 1 end
  while true do
    count = count + 1
    list[count], place = read(text, place, depth)
    place = skip(text, place)
    local mark = byte(text, place)
    if mark == 93 then return list, place + 1 end
    if mark ~= 44 then malformed(place) end
    place = place + 1
  end
end

local function read_object(text, place, depth)
  local members, name = {}, nil
  place = skip(text, place)
  if byte(text, place) == 125 then return members, place + 1 end
  while true do
    if byte(text, place) ~= 34 then malformed(place) end
    name, place = read_string(text, place + 1)
    place = skip(text, place)
    if byte(text, place) ~= 58 then malformed(place) end
    members[name], place = read(text, place + 1, depth)
    place = skip(text, place)
    local mark = byte(text, place)
    if mark == 125 then return members, place + 1 end
    if mark ~= 44 then malformed(place) end
    place = skip(text, place + 1)
  end
end

function read(text, place, depth)
  if depth > MAX_DEPTH then error("JSON nested too deep", 0) end
  place = skip(text, place)
  local mark = sub(text, place, place)
  if mark == '"' then return read_string(text, place + 1) end
  if mark == "{" then return read_object(text, place + 1, depth + 1) end
  if mark == "[" then return read_array(text, place + 1, depth + 1) end
  local word = WORDS[mark]
  if word then
    local after = place + #word[1]
    if sub(text, place, after - 1) ~= word[1] then malformed(place) end
    return word[2], after
  end
  local digits = match(text, "^-?%d[%d.eE+-]*", place) or malformed(place)
  return tonumber(digits) or malformed(place), place + #digits
end

local function decode(text)
  local value, place = read(text, 1, 0)
  if find(text, "[^ \t\r\n]", place) then malformed(place) end
  return value
end

-- The value of a tool's text: decoded if it is a JSON object or array, otherwise the text itself.
local function value_of_text(text)
  if find(text, "^%s*[%[{]") then
    local is_json, value = pcall(decode, text)
    if is_json then return value end
  end
  return text
end

-- Writing

local NAMED = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }
for code = 0, 127 do
  local letter = character(code)
  if find(letter, "%c") and not NAMED[letter] then NAMED[letter] = format("\\u%04x", code) end
end
local encode_into

local function quoted(text)
  return '"' .. gsub(text, '[%c"\\]', NAMED) .. '"'
end

local function number(value)
  if integer_kind(value) == "integer" then return tostring(value) end
  if value ~= value or value == huge or value == -huge then
    error(tostring(value) .. " has no form in JSON", 0)
  end
  local whole = tointeger(value)
  return whole and tostring(whole) or format("%.17g", value)
end

local function put(out, text)
  out.length = out.length + #text
  if out.length > out.limit then error(out.too_long, 0) end
  out[#out + 1] = text
end

local function is_list(value)
  local count, length = 0, rawlen(value)
  if length == 0 then return false end
  for key in next, value do
    count = count + 1
    if integer_kind(key) ~= "integer" or key < 1 or key > length then return false end
  end
  return count == length
end

local function encode_list(value, out, depth)
  put(out, "[")
  for place = 1, rawlen(value) do
    if place > 1 then put(out, ",") end
    local item = rawget(value, place)
    encode_into(item == nil and null or item, out, depth)
  end
  put(out, "]")
end

-- In order of name, so that the same value is the same text each time.
local function encode_members(value, out, depth)
  local names, by_name = {}, {}
  for key, item in next, value do
    if type(key) ~= "string" and integer_kind(key) ~= "integer" then
      error("a " .. type(key) .. " can't be the name of a field in JSON", 0)
    end
    local name = tostring(key)
    names[#names + 1], by_name[name] = name, item
  end
  sort(names)
  put(out, "{")
  for place = 1, #names do
    local name = names[place]
    put(out, (place > 1 and "," or "") .. quoted(name) .. ":")
    encode_into(by_name[name], out, depth)
  end
  put(out, "}")
end

local function encode_table(value, out, depth)
  local mark = getmetatable(value)
  if mark and rawget(mark, "__unwritable") then error(mark.__unwritable, 0) end
  if depth > MAX_DEPTH then error("a table is nested too deep, or in itself", 0) end
  if mark == ARRAY or is_list(value) then
    encode_list(value, out, depth + 1)
  else
    encode_members(value, out, depth + 1)
  end
end

function encode_into(value, out, depth)
  local kind = type(value)
  if value == null then put(out, "null")
  elseif kind == "string" then put(out, quoted(value))
  elseif kind == "number" then put(out, number(value))
  elseif kind == "boolean" then put(out, tostring(value))
  elseif kind == "nil" then put(out, "null")
  elseif kind == "table" then encode_table(value, out, depth)
  else error("a " .. kind .. " has no form in JSON", 0) end
end

-- `value` as JSON; raises `too_long` when that has more than `limit` bytes.
local function encode(value, limit, too_long)
  local out = { length = 0, limit = limit or huge, too_long = too_long }
  encode_into(value, out, 0)
  return concat(out)
end

return {
  null = null, array = array, decode = decode, encode = encode,
  quoted = quoted, value_of_text = value_of_text,
}
