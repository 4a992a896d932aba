/**
 * Shares budgets between processes, atomically in Redis. For each budget a hash has an entry for each process:
 * [holds, share, want, isFirst, isUrgent, since, until]. `holds` is the most that the process may use until it says otherwise: its new
 * share, the limit that it worked under when it asked, and what it has open. So a lower share is free for others only when its process
 * has confirmed it, and the sum of all `holds` is never above the budget, whatever answer is lost.
 *
 * KEYS: a hash for each budget. ARGV: process, lease in ms, rotation in ms; then for each budget: amount, isWhole, kept for those
 * that are first, members, isFirst, isUrgent, limit, in use, wanted. Answers for each budget its share, or "-" where processes are missing
 * and there is not a unit for each of them, so that they must take turns.
 */
export const SHARE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local me, lease, rotation = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

-- The part of each process: its floor, and up to its demand as much as every other one.
local function fill(entries, capacity, isWhole)
  local function sum(level)
    local total = 0
    for _, e in ipairs(entries) do total = total + math.min(e.demand, math.max(e.floor, level)) end
    return total
  end
  local low, high = 0, capacity
  if sum(capacity) <= capacity then low = capacity else
    for _ = 1, 24 do
      local middle = (low + high) / 2
      if sum(middle) <= capacity then low = middle else high = middle end
    end
  end
  if isWhole then low = math.floor(low + 0.0001) end
  local left = capacity
  for _, e in ipairs(entries) do
    e.target = math.min(e.demand, math.max(e.floor, low))
    left = left - e.target
  end
  if not isWhole then return end
  -- Units that are left over stay where they are. With less than one for each, processes take turns.
  for _, e in ipairs(entries) do
    local has = e.share > e.target
    if low >= 1 then e.place = has and 1 or 2
    elseif e.urgent == 1 then e.place = 0
    elseif has and now - e.since < rotation then e.place = 1
    elseif not has then e.place = 2
    else e.place = 3 end
  end
  table.sort(entries, function(a, b)
    if a.place ~= b.place then return a.place < b.place end
    if low < 1 and a.since ~= b.since then return a.since < b.since end
    return a.id < b.id
  end)
  for _, e in ipairs(entries) do
    if left >= 1 and e.demand > e.target then
      e.target = e.target + 1
      left = left - 1
    end
  end
end

local answers = {}
for index, key in ipairs(KEYS) do
  local at = 3 + (index - 1) * 9
  local function arg(n) return tonumber(ARGV[at + n]) end
  local amount, isWhole, kept, members = arg(1), arg(2) == 1, arg(3), arg(4)
  local mine = { id = me, share = 0, since = now, first = arg(5), urgent = arg(6), want = math.min(amount, arg(9)) }
  local limit, open = arg(7), arg(8)

  local entries, others, firsts = { mine }, 0, mine.first
  local rows = redis.call('HGETALL', key)
  for row = 1, #rows, 2 do
    local id, e = rows[row], cjson.decode(rows[row + 1])
    if id == me then
      mine.share, mine.since = e[2], e[6]
    elseif e[7] <= now then
      redis.call('HDEL', key, id)
    else
      others = others + e[1]
      firsts = firsts + e[4]
      entries[#entries + 1] = { id = id, share = e[2], want = e[3], first = e[4], urgent = e[5], since = e[6] }
    end
  end

  -- Processes that run and are not here cannot reach Redis, or not yet: they use an equal part.
  local missing = math.max(0, members - #entries)
  local part = members > 0 and amount / members or amount
  if isWhole then part = math.floor(part) end
  local share, answer = 0, '-'
  if missing == 0 or part > 0 then
    local floor = 0
    if firsts > 0 then
      floor = kept / firsts
      if isWhole then floor = math.max(1, math.floor(floor)) end
      if floor * firsts > amount / 2 then floor = amount / 2 / firsts end
      if isWhole then floor = math.floor(floor) end
    end
    for _, e in ipairs(entries) do
      e.floor = e.first == 1 and floor or 0
      e.demand = math.max(e.want, e.floor)
    end
    local capacity = math.max(0, amount - missing * part)
    fill(entries, capacity, isWhole)
    share = math.max(0, math.min(mine.target, capacity - others))
    answer = string.format('%.6f', share)
  end

  -- Since when it has something, or waits.
  if (share > 0) ~= (mine.share > 0) then mine.since = now end
  local holds = math.max(share, limit, open)
  local entry = { holds, share, mine.want, mine.first, mine.urgent, mine.since, now + lease }
  redis.call('HSET', key, me, cjson.encode(entry))
  redis.call('PEXPIRE', key, lease * 2)
  answers[index] = answer
end
return answers
`;
