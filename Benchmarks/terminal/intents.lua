-- Payment intents of a terminal sale, each new: the call that both stand-ins know. The request is made once.
wrk.method = "POST"
wrk.path = "/v1/payment_intents"
wrk.body = "amount=1250&currency=eur&capture_method=manual&payment_method_types[]=" .. (os.getenv("TYPE") or "card")
wrk.headers["Authorization"] = "Bearer sk_test_rate"
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
