-- Payment intents of a terminal sale, each new: the call that both stand-ins know.
local body = "amount=1250&currency=eur&capture_method=manual&payment_method_types[]=" .. (os.getenv("TYPE") or "card")

function request()
  return wrk.format("POST", "/v1/payment_intents", {
    ["Authorization"] = "Bearer sk_test_rate", ["Content-Type"] = "application/x-www-form-urlencoded" }, body)
end
