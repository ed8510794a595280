#!lua name=pawl
-- A writer, and a reader that may only ask; a server asks of an account what the functions do, too. Each <WORD> stands for
-- > and a password:
-- ACL SETUSER pawl_writer on <WRITER_PASSWORD> ~pawl:* +fcall_ro +hmget +hget +zrange +time +fcall +function|load +echo +sadd +srem +hset +hgetall +exists +smembers +zadd +del
-- ACL SETUSER pawl_reader on <READER_PASSWORD> %R~pawl:* +fcall_ro +hmget +hget +zrange +time
local columns = {@columns@}
local told = {@told@}
local members = {@members@}

local function now() return redis.call('TIME')[1] end

local function head(key)
  return table.concat(redis.call('HMGET', key, @head@), ' ')
end

local function is_still(key, was)
  if was == '' then return redis.call('EXISTS', key) == 0 end
  return redis.call('EXISTS', key) == 1 and head(key) == was
end

local function version_key(version, is_system)
  if #version > 39 then return nil end
  local key, parts = '', 0
  for part in (version .. '.'):gmatch('([^.]*)[.]') do
    if #part > 9 or not part:match('^%d+$') or is_system and part:match('^0.') then return nil end
    key, parts = key .. ('0'):rep(9 - #part) .. part, parts + 1
  end
  if parts > (is_system and 3 or 4) then return nil end
  return key .. ('0'):rep(36 - #key)
end

local function is_traditional(tag)
  tag = tag .. '-'
  if tag:find('-hant-', 1, true) or tag:find('-hans-', 1, true) then return tag:find('-hant-', 1, true) ~= nil end
  return (tag:find('-tw-', 1, true) or tag:find('-hk-', 1, true) or tag:find('-mo-', 1, true)) ~= nil
end

-- The one of some languages, with blanks around each, that fits a locale best, as 'pawl check --locale' has it.
local function language_for(languages, locale)
  local wanted = locale:lower():gsub('_', '-')
  local tag = wanted
  while not languages:find(' ' .. tag .. ' ', 1, true) do
    local shorter = tag:match('^(.*)-')
    if not shorter then
      local first
      for language in languages:gmatch('%S+') do
        if language:sub(1, #tag + 1) == tag .. '-' then
          if tag ~= 'zh' or is_traditional(language) == is_traditional(wanted) then return language end
          first = first or language
        end
      end
      return first or languages:match('%S+')
    end
    tag = shorter
  end
  return tag
end

local function read(name, callback)
  redis.register_function{function_name = name, callback = callback, flags = {'no-writes'}}
end

read('pawl_mirror', function() return {'pawl-mirror @format@ ' .. now(), 'pawl-asks'} end)

read('pawl_names', function(keys)
  local names = redis.call('SMEMBERS', keys[1])
  for place, name in ipairs(names) do names[place] = 'pawl-name ' .. name end
  return names
end)

read('pawl_head', function(keys)
  if redis.call('EXISTS', keys[1]) == 0 then return {} end
  local of = redis.call('HMGET', keys[1], 'app', 'ledger', 'file', 'generation', 'hash', 'digest', 'fence', 'stopped')
  local line = 'pawl ' .. table.concat(of, ' ', 1, 6) .. ' ' .. now()
  return {line, 'pawl-state ' .. of[1] .. ' ' .. of[7] .. ' ' .. (of[8] == '1' and 1 or 0)}
end)

read('pawl_rows', function(keys)
  local app, lines = redis.call('HGET', keys[1], 'app'), {}
  if not app then return lines end
  lines[1] = 'pawl-row ' .. app .. ' ' .. (redis.call('HGET', keys[1], 'not_before') or '-')
  local function say(line) lines[#lines + 1] = 'pawl-raw ' .. app .. ' ' .. line end
  for _, row in ipairs(redis.call('ZRANGE', keys[2], 0, -1)) do say(row) end
  local notes = redis.call('HGETALL', keys[3])
  for place = 1, #notes, 2 do
    say(notes[place]:gsub(' ', '\t') .. '\t' .. notes[place + 1]:gsub('[\t\n]', {['\n'] = '\1', ['\t'] = '\2'}))
  end
  return lines
end)

redis.register_function('pawl_send', function(keys, args)
  if args[#args] ~= 'end' then return redis.error_reply('the line is cut') end
  if not is_still(keys[1], args[1]) then return redis.error_reply('the head has changed') end
  redis.call('DEL', keys[2], keys[3])
  local place = 3
  for _ = 1, tonumber(args[2]) do
    redis.call('HSET', keys[1], args[place], args[place + 1])
    place = place + 2
  end
  local last = place + tonumber(args[place])
  while place < last do
    place = place + 1
    redis.call('ZADD', keys[2], 0, args[place])
  end
  for field = place + 1, #args - 2, 2 do redis.call('HSET', keys[3], args[field], args[field + 1]) end
  return 'OK'
end)

redis.register_function('pawl_remove', function(keys, args)
  if args[#args] ~= 'end' then return redis.error_reply('the line is cut') end
  if not is_still(keys[1], args[1]) then return redis.error_reply('the head has changed') end
  return redis.call('DEL', keys[1], keys[2], keys[3])
end)

local function answer(keys, row, head, system, locale, tag)
  local value, place = {generation = head[1]}, 0
  for text in (row .. '\t'):gmatch('([^\t]*)\t') do
    place = place + 1
    value[columns[place]] = text ~= '' and text
  end
  if head[3] == '1' then
    for name in pairs(members) do value[name] = false end
    value.action, value.tiers, value.tag = 'none', '[]', 's' .. value.tag:sub(2)
  elseif system and value.tiers ~= '[]' then
    for _, tier in ipairs(cjson.decode(value.tiers)) do
      if system < version_key(tier.osBelow) then
        for name, member in pairs(members) do value[name] = tier[member] ~= cjson.null and tier[member] end
        value.action = tier.action
        break
      end
    end
  end
  if value.target and value.tag ~= tag then
    local field = value.target_app .. ' ' .. value.target
    if locale ~= '' then
      local languages = redis.call('HGET', keys[3], field .. ' ')
      field = languages and field .. ' ' .. language_for(languages, locale)
    end
    value.notes = field and redis.call('HGET', keys[3], field)
  end
  local answer = {}
  for place, name in ipairs(told) do answer[2 * place - 1], answer[2 * place] = name, value[name] or false end
  return answer
end

-- FCALL_RO pawl_ask 3 pawl:{APP}:head pawl:{APP}:answers pawl:{APP}:notes VERSION [AT [OS [LOCALE [TAG]]]]: what a
-- version is told, now or at a moment, on a system or on whatever there is, as names and values in turn, or nothing if
-- no one knows. Its notes are of all languages, or those for a locale, and there are none where the client knows the
-- tag. What is not given is an empty text.
read('pawl_ask', function(keys, args)
  local function arg(place) return args[place] or '' end
  local key, system = version_key(arg(1)), arg(3) ~= '' and version_key(arg(3), true)
  local head = redis.call('HMGET', keys[1], 'generation', 'not_before', 'stopped')
  if not key or not head[1] or arg(3) ~= '' and not system then return {} end
  local at = arg(2) == '' and math.max(tonumber(now()), tonumber(head[2])) or tonumber(arg(2))
  local from = 0
  while at do
    local rows = redis.call('ZRANGE', keys[2], '[' .. key .. '~', '-', 'BYLEX', 'REV', 'LIMIT', from, 4)
    if #rows == 0 then return {} end
    for _, row in ipairs(rows) do
      local hi, since, till = row:match('^%d+\t([%d:]+)\t(%-?%d+)\t(%d+)\t')
      -- Texts are compared as the server's language sorts them, where a colon may come first.
      if hi and (hi == ':' or key < hi) and tonumber(since) <= at and at < tonumber(till) then
        return answer(keys, row, head, system, arg(4), arg(5))
      end
    end
    from = from + 4
  end
  return {}
end)
