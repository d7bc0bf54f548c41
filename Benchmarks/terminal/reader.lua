-- What a counter does to a reader while a customer pays: process, look, look, call off.
local step = 0
local head = { ["Authorization"] = "Bearer sk_test_rate", ["Content-Type"] = "application/x-www-form-urlencoded" }
local reader, intent = os.getenv("READER"), os.getenv("INTENT")

function request()
  step = step + 1
  local turn = step % 4
  if turn == 1 then
    return wrk.format("POST", "/v1/terminal/readers/" .. reader .. "/process_payment_intent", head,
      "payment_intent=" .. intent)
  elseif turn == 0 then
    return wrk.format("POST", "/v1/terminal/readers/" .. reader .. "/cancel_action", head, "")
  elseif turn == 2 then
    return wrk.format("GET", "/v1/terminal/readers/" .. reader, head)
  end
  return wrk.format("GET", "/v1/payment_intents/" .. intent, head)
end
