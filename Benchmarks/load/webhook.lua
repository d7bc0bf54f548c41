-- Every request is a new event of Stripe's, signed as Stripe signs. With BENCH_PAYMENTS, a file with an identifier a line,
-- the events are about those payments in turn; without, about something that is not the counter's.
dofile((os.getenv("BENCH_LOAD") or "load") .. "/report.lua")

local ffi = require("ffi")
ffi.cdef [[
  const void *EVP_sha256(void);
  unsigned char *HMAC(const void *evp, const void *key, int length, const char *data, size_t size, unsigned char *out,
                      unsigned int *written);
]]
local crypto = ffi.load("crypto.so.3")

local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init(args)
  secret = os.getenv("BENCH_WEBHOOK_SECRET")
  sha256, out, written = crypto.EVP_sha256(), ffi.new("unsigned char[32]"), ffi.new("unsigned int[1]")
  hex = {}
  for byte = 0, 255 do hex[byte] = string.format("%02x", byte) end
  counter = 0
  prefix = "evt_" .. (os.getenv("BENCH_RUN") or tostring(os.time())) .. "_" .. number .. "_"
  payments = {}
  local list = os.getenv("BENCH_PAYMENTS")
  if list then
    for line in io.lines(list) do payments[#payments + 1] = line end
  end
end

local function sign(text)
  crypto.HMAC(sha256, secret, #secret, text, #text, out, written)
  local parts = {}
  for place = 0, 31 do parts[place + 1] = hex[out[place]] end
  return table.concat(parts)
end

function request()
  counter = counter + 1
  local now = tostring(os.time())
  local metadata = '{"cart":"c-' .. counter .. '"}'
  if #payments > 0 then
    metadata = '{"till_account":"main","till_payment":"' .. payments[counter % #payments + 1] .. '"}'
  end
  local body = '{"id":"' .. prefix .. counter .. '","object":"event","api_version":"2025-09-30.clover","created":' .. now
    .. ',"livemode":false,"pending_webhooks":1,"type":"payment_intent.succeeded","data":{"object":{"id":"pi_' .. counter
    .. '","object":"payment_intent","amount":1250,"amount_received":1250,"currency":"eur","capture_method":"automatic",'
    .. '"payment_method_types":["card"],"status":"succeeded","livemode":false,"metadata":' .. metadata .. '}}}'
  return "POST /webhooks/stripe HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nStripe-Signature: t="
    .. now .. ",v1=" .. sign(now .. "." .. body) .. "\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
end
