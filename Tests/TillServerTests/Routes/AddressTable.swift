/// What is asked, and how it is answered: method, address, status, a problem's code, `Allow`, and whether the answer
/// depends on the origin. A star marks a stranger.
let addresses = """
    GET / 200
    GET /counter.css 200
    GET /counter.js 200
    GET /attention.js 200
    GET /attention-entry.js 200
    GET /attention-words.js 200
    GET /statements.js 200
    GET /views.js 200
    GET /language.js 200
    GET /links.js 200
    GET /words.js 200
    GET /words-ar.js 200
    GET /words-de.js 200
    GET /words-en.js 200
    GET /words-es.js 200
    GET /words-fr.js 200
    GET /words-he.js 200
    GET /words-it.js 200
    GET /words-ja.js 200
    GET /words-pl.js 200
    GET /readers.js 200
    GET /tap.js 200
    GET /cards.js 200
    GET /clock.js 200
    GET /receipts.js 200
    GET /questions.js 200
    GET /latest.js 200
    GET /review.js 200
    GET /sale.js 200
    GET /sell.css 200
    GET /sell-book.js 200
    GET /sell-cash.js 200
    GET /sell-discount.js 200
    GET /sell-drawer.js 200
    GET /sell-find.js 200
    GET /sell-keys.js 200
    GET /sell-live.js 200
    GET /sell-offline.js 200
    GET /sell-parked.js 200
    GET /sell-scan.js 200
    GET /sell-split.js 200
    GET /sell-stage.js 200
    GET /shown.js 200
    GET /sought.js 200
    GET /steady.js 200
    GET /streams.js 200
    GET /turns.js 200
    GET /payments 200
    GET /payments?q=x&period=all 200
    GET /payments/PAYMENT 200
    GET /payments.js 200
    GET /one-payment.js 200
    GET /payments-address.js 200
    GET /day 200
    GET /day?view=count 200
    GET /day.js 200
    GET /day-clock.js 200
    GET /day-count.js 200
    GET /day-drawers.js 200
    GET /day-report.js 200
    GET /day-tables.js 200
    GET /day-where.js 200
    GET /day?drawer=bar&report=3 200
    GET /drawer.js 200
    GET /day.css 200
    GET /insights 200
    GET /insights?days=7 200
    GET /insights.js 200
    GET /insights-chart.js 200
    GET /insights-shown.js 200
    GET /insights.css 200
    GET /settings 200
    GET /settings/readers 200
    GET /settings/audit 200
    GET /settings/health 200
    GET /settings/nothing 404 not_found
    GET /settings?x=y 400 unknown_parameter
    GET /settings.js 200
    GET /settings-keys.js 200
    GET /settings.css 200
    GET /payments-rows.js 200
    GET /design.css 200
    GET /frame.css 200
    GET /openapi.yaml 200
    GET /healthz 200
    GET /readyz 200
    GET /metrics 200
    HEAD / 200
    HEAD /counter.js 200
    HEAD /readyz 200
    HEAD /payments 200
    HEAD /day 200
    HEAD /v1/payments 200
    HEAD /v1/payments.csv 200
    HEAD /v1/payments/PAYMENT 200
    HEAD /v1/events 405 GET
    HEAD /v1/offline 200
    HEAD /v1/tap 200
    HEAD /v1/printers 200
    HEAD /r/x 404
    HEAD /shop 200 Vary
    HEAD /applepay/metadata 200 Vary
    HEAD /v1/terminal/readers 200
    HEAD /session 405 POST,DELETE
    HEAD /v1/payments/PAYMENT/receipt/mails 200
    HEAD /applepay/validate 405 POST Vary
    POST / 405 method_not_allowed GET,HEAD
    DELETE / 405 method_not_allowed GET,HEAD
    POST /payments 405 method_not_allowed GET,HEAD
    POST /day 405 method_not_allowed GET,HEAD
    POST /insights 405 method_not_allowed GET,HEAD
    GET /insights/ 404 not_found
    POST /settings 405 method_not_allowed GET,HEAD
    GET /settings/ 404 not_found
    GET /day/ 404 not_found
    GET /payments/ 404 not_found
    POST /counter.js 405 method_not_allowed GET,HEAD
    DELETE /counter.js 405 method_not_allowed GET,HEAD
    POST /healthz 405 method_not_allowed GET,HEAD
    DELETE /healthz 405 method_not_allowed GET,HEAD
    POST /metrics 405 method_not_allowed GET,HEAD
    DELETE /metrics 405 method_not_allowed GET,HEAD
    POST /openapi.yaml 405 method_not_allowed GET,HEAD
    DELETE /openapi.yaml 405 method_not_allowed GET,HEAD
    POST /session 403 foreign_page
    GET /session 405 method_not_allowed POST,DELETE
    PUT /session 405 method_not_allowed POST,DELETE
    POST /webhooks/stripe 404 not_found
    GET /webhooks/stripe 405 method_not_allowed POST
    POST /webhooks/adyen 404 not_found
    GET /webhooks/adyen 405 method_not_allowed POST
    POST /webhooks/paypal 404 not_found
    GET /webhooks/paypal 405 method_not_allowed POST
    POST /webhooks/braintree 404 not_found
    GET /webhooks/braintree 405 method_not_allowed POST
    POST /webhooks/other 404 not_found
    POST /webhooks/ 404 not_found
    POST /webhooks 404 not_found
    POST /webhooks/stripe/ 404 not_found
    POST /webhooks/stripe/x 404 not_found
    GET /webhooks/other 405 method_not_allowed POST
    GET /v1/payments 200
    POST /v1/payments 400 idempotency_key_missing
    PUT /v1/payments 405 method_not_allowed GET,HEAD,POST
    DELETE /v1/payments 405 method_not_allowed GET,HEAD,POST
    PATCH /v1/payments 405 method_not_allowed GET,HEAD,POST
    OPTIONS /v1/payments 405 method_not_allowed GET,HEAD,POST
    FOO /v1/payments 405 method_not_allowed GET,HEAD,POST
    GET /v1/payments/ 404 not_found
    GET /v1//payments 404 not_found
    GET //v1/payments 404 not_found
    GET /v1/payments// 404 not_found
    GET /V1/payments 404 not_found
    GET /v1/Payments 404 not_found
    GET /v1 404 not_found
    GET /v1/ 404 not_found
    GET // 404 not_found
    GET /v1/p%61yments 404 not_found
    GET /v1/nothing 404 not_found
    GET /nothing 404 not_found
    GET /v1/payments?limit=1 200
    GET /v1/payments? 200
    GET /v1/payments?limit=x 422 invalid_request
    GET /v1/payments?&limit=1& 200
    GET /v1/payments?created_after=1 400 unknown_parameter
    GET /v1/payments?lim%69t=1 400 unknown_parameter
    GET /v1/payments?limit 422 invalid_request
    GET /v1/payments?q=x&status=succeeded,declined&tender=cash&from=2026-01-01T00:00:00Z 200
    GET /v1/payments?from=x 422 invalid_request
    GET /v1/payments?order_id=x&q=x 422 invalid_request
    GET /v1/payments.csv 200
    GET /v1/payments.csv?q=x 200
    GET /v1/payments.csv?limit=1 400 unknown_parameter
    GET* /v1/payments.csv 401 unauthorized
    POST /v1/payments.csv 405 method_not_allowed GET,HEAD
    POST /v1/payments?limit=1 400 unknown_parameter
    GET* /v1/payments?created_after=1 401 unauthorized
    GET /healthz?x=y 400 unknown_parameter
    POST /webhooks/stripe?x=y 404 not_found
    GET /applepay/metadata?x=y 400 unknown_parameter Vary
    GET /v1/payments#x 404 not_found
    GET v1/payments 404 not_found
    GET * 404 not_found
    GET http://localhost:8080/v1/payments 200
    GET http://localhost:8080 200
    OPTIONS * 404 not_found
    OPTIONS / 405 method_not_allowed GET,HEAD
    GET /v1/payments/PAYMENT 200
    GET /v1/payments/PAYMENT/ 404 not_found
    GET /v1/payments//PAYMENT 404 not_found
    GET /v1/payments/pay_1 404 payment_not_found
    GET /v1/payments/p%61y_1 404 payment_not_found
    GET /v1/payments/%ff 404 not_found
    GET /v1/payments/% 404 not_found
    GET /v1/payments/%zz 404 not_found
    GET /v1/payments/%20 404 not_found
    GET /v1/payments/a%2Fb 404 payment_not_found
    GET /v1/payments/%70ay_1 404 payment_not_found
    GET /v1/p%61yments/PAYMENT 404 not_found
    GET /v1/p%61yments/PAYMENT/receipt 404 not_found
    GET /v1/payments/PAYMENT/nothing 404 not_found
    GET /v1/payments/PAYMENT/a/b 404 not_found
    GET /v1/payments/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 404 not_found
    GET /v1/payments/%00 404 not_found
    POST /v1/payments/PAYMENT 405 method_not_allowed GET,HEAD
    PUT /v1/payments/PAYMENT 405 method_not_allowed GET,HEAD
    DELETE /v1/payments/PAYMENT 405 method_not_allowed GET,HEAD
    POST /v1/payments/PAYMENT/confirm 400 idempotency_key_missing
    POST /v1/payments/%ff/confirm 404 not_found
    POST /v1/payments/PAYMENT/confirm/ 404 not_found
    POST /v1/payments//confirm 404 not_found
    GET /v1/payments/PAYMENT/confirm 405 method_not_allowed POST
    POST /v1/payments/PAYMENT/capture 400 idempotency_key_missing
    POST /v1/payments/%ff/capture 404 not_found
    POST /v1/payments/PAYMENT/capture/ 404 not_found
    POST /v1/payments//capture 404 not_found
    GET /v1/payments/PAYMENT/capture 405 method_not_allowed POST
    POST /v1/payments/PAYMENT/cancel 400 idempotency_key_missing
    POST /v1/payments/%ff/cancel 404 not_found
    POST /v1/payments/PAYMENT/cancel/ 404 not_found
    POST /v1/payments//cancel 404 not_found
    GET /v1/payments/PAYMENT/cancel 405 method_not_allowed POST
    POST /v1/payments/PAYMENT/refunds 400 idempotency_key_missing
    POST /v1/payments/%ff/refunds 404 not_found
    POST /v1/payments/PAYMENT/refunds/ 404 not_found
    POST /v1/payments//refunds 404 not_found
    GET /v1/payments/PAYMENT/refunds 405 method_not_allowed POST
    PUT /v1/payments/PAYMENT/confirm 405 method_not_allowed POST
    POST /v1/payments/PAYMENT/c%61pture 404 not_found
    POST /v1/payments/PAYMENT/nothing 404 not_found
    POST /v1/payments/PAYMENT//capture 404 not_found
    GET /v1/payments/PAYMENT/receipt 200
    GET /v1/payments/PAYMENT/receipt/ 404 not_found
    GET /v1/payments/PAYMENT/receipt?format=json 200
    GET /v1/payments/PAYMENT/receipt?format=xyz 422 invalid_request
    GET /v1/payments/pay_1/receipt 404 payment_not_found
    GET /v1/payments/%ff/receipt 404 not_found
    GET /v1/payments//receipt 404 not_found
    POST /v1/payments/PAYMENT/receipt 405 method_not_allowed GET,HEAD
    GET /v1/orders/o-1/receipt 200
    GET /v1/orders/o%2D1/receipt 200
    GET /v1/orders/o-2/receipt 404 order_not_found
    GET /v1/orders/%ff/receipt 404 not_found
    GET /v1/orders//receipt 404 not_found
    GET /v1/orders/o-1 404 order_not_found
    GET /v1/orders 200
    HEAD /v1/orders/events 405 GET
    GET /v1/orders/o-1/receipt/ 404 not_found
    GET /v1/orders/o-1/nothing 404 not_found
    GET /v1/orders/o-1/receipt/link 404 not_found
    GET /v1/orders/o-1/ 404 not_found
    POST /v1/orders/o-1/receipt 405 method_not_allowed GET,HEAD
    POST /v1/orders/o-1 405 method_not_allowed GET,HEAD,PUT
    POST /v1/payments/PAYMENT/notes 400 idempotency_key_missing
    POST /v1/payments/%ff/notes 404 not_found
    POST /v1/payments/PAYMENT/notes/ 404 not_found
    POST /v1/payments//notes 404 not_found
    GET /v1/payments/PAYMENT/notes 405 method_not_allowed POST
    POST /v1/payments/PAYMENT/receipt/link 200
    POST /v1/payments/pay_1/receipt/link 404 payment_not_found
    POST /v1/payments/%ff/receipt/link 404 not_found
    POST /v1/payments//receipt/link 404 not_found
    POST /v1/payments/PAYMENT/receipt/link/ 404 not_found
    GET /v1/payments/PAYMENT/receipt/link 405 method_not_allowed POST
    POST /v1/payments/PAYMENT/receipt/print 422 invalid_request
    POST /v1/payments/pay_1/receipt/print 404 payment_not_found
    POST /v1/payments/%ff/receipt/print 404 not_found
    POST /v1/payments//receipt/print 404 not_found
    POST /v1/payments/PAYMENT/receipt/print/ 404 not_found
    GET /v1/payments/PAYMENT/receipt/print 405 method_not_allowed POST
    POST /v1/payments/PAYMENT/receipt/send 409 mail_not_configured
    POST /v1/payments/pay_1/receipt/send 404 payment_not_found
    POST /v1/payments/%ff/receipt/send 404 not_found
    POST /v1/payments//receipt/send 404 not_found
    POST /v1/payments/PAYMENT/receipt/send/ 404 not_found
    GET /v1/payments/PAYMENT/receipt/send 405 method_not_allowed POST
    GET /v1/payments/PAYMENT/receipt/mails 200
    GET /v1/payments/PAYMENT/receipt/nothing 404 not_found
    GET /v1/payments/p%61y_1/receipt/mails 404 payment_not_found
    POST /v1/payments/PAYMENT/receipt/mails 405 method_not_allowed GET,HEAD
    POST /v1/payments/PAYMENT/receipt/nothing 404 not_found
    POST /v1/orders/o-1/receipt/link 404 not_found
    GET /v1/day 200
    HEAD /v1/day 200
    POST /v1/day 405 method_not_allowed GET,HEAD
    GET /v1/day?x=y 400 unknown_parameter
    GET /v1/day/ 404 not_found
    GET /v1/day?drawer=bar 200
    GET /v1/day?drawer=Bar 422 invalid_request
    GET /v1/day?drawer=bar&drawer=bar 422 invalid_request
    GET /v1/day/drawers 200
    HEAD /v1/day/drawers 200
    GET /v1/day/drawers?drawer=bar 400 unknown_parameter
    POST /v1/day/drawers 405 method_not_allowed GET,HEAD
    POST /v1/day/drawer 422 invalid_request
    GET /v1/day/drawer 405 method_not_allowed POST
    GET /v1/day/report?drawer=bar 409 day_not_open
    GET /v1/day/reports?drawer=bar 200
    GET /v1/day/reports/1?drawer=bar 404 report_not_found
    GET /v1/day/reports/1.csv?drawer=bar 404 report_not_found
    GET /v1/day/report 409 day_not_open
    GET /v1/day/report.csv 409 day_not_open
    GET /v1/day/report.csv?drawer=bar 409 day_not_open
    GET /v1/day/report.csv?limit=1 400 unknown_parameter
    POST /v1/day/report.csv 405 method_not_allowed GET,HEAD
    GET /v1/day/report.pdf 409 day_not_open
    GET /v1/day/report.pdf?drawer=bar&width=A4 409 day_not_open
    GET /v1/day/report.pdf?width=70 422 invalid_request
    GET /v1/day/report.pdf?format=png 400 unknown_parameter
    POST /v1/day/report.pdf 405 method_not_allowed GET,HEAD
    GET /v1/day/reports 200
    GET /v1/day/reports?before=1&limit=100 200
    GET /v1/day/reports?before=0 422 invalid_request
    GET /v1/day/reports?limit=101 422 invalid_request
    GET /v1/day/reports/1 404 report_not_found
    GET /v1/day/reports/x 404 report_not_found
    GET /v1/day/reports/%ff 404 not_found
    GET /v1/day/reports/9223372036854775807 404 report_not_found
    GET /v1/day/reports/1.csv 404 report_not_found
    GET /v1/day/reports/x.csv 404 report_not_found
    GET /v1/day/reports/1.csv?limit=1 400 unknown_parameter
    POST /v1/day/reports/1.csv 405 method_not_allowed GET,HEAD
    GET /v1/day/reports/1.pdf 404 report_not_found
    GET /v1/day/reports/1.pdf?width=58&drawer=bar 404 report_not_found
    GET /v1/day/reports/1.pdf?width=70 422 invalid_request
    GET /v1/day/reports/x.pdf 404 report_not_found
    GET /v1/day/reports/1.pdf?limit=1 400 unknown_parameter
    POST /v1/day/reports/1.pdf 405 method_not_allowed GET,HEAD
    POST /v1/day/reports/1/print 404 report_not_found
    POST /v1/day/reports/x/print 404 report_not_found
    POST /v1/day/reports/1/print?drawer=bar 400 unknown_parameter
    GET /v1/day/reports/1/print 405 method_not_allowed POST
    POST /v1/day/open 422 invalid_request
    POST /v1/day/cash 400 idempotency_key_missing
    POST /v1/day/count 422 invalid_request
    POST /v1/day/close 409 day_not_open
    POST /v1/day/resume 409 day_not_open
    GET /v1/day/open 405 method_not_allowed POST
    GET /v1/insights 200
    HEAD /v1/insights 200
    GET /v1/insights?from=2026-11-09&until=2026-11-21&zone=Europe/Berlin 200
    GET /v1/insights?from=2026-02-30 422 invalid_request
    GET /v1/insights?from=2026-11-21&until=2026-11-09 422 invalid_request
    GET /v1/insights?from=2024-01-01&until=2026-11-09 422 invalid_request
    GET /v1/insights?zone=Moon/Base 422 invalid_request
    GET /v1/insights?days=7 400 unknown_parameter
    POST /v1/insights 405 method_not_allowed GET,HEAD
    GET /v1/insights/ 404 not_found
    GET /v1/insights.csv 200
    HEAD /v1/insights.csv 200
    GET /v1/insights.csv?until=x 422 invalid_request
    GET /v1/insights.csv?limit=1 400 unknown_parameter
    POST /v1/insights.csv 405 method_not_allowed GET,HEAD
    GET /v1/printers 200
    GET /v1/printers/ 404 not_found
    GET /v1/printers/none 404 not_found
    GET /v1/printers/%ff 404 not_found
    GET /v1/printers/a/b 404 not_found
    GET /v1/printers/none/ 404 not_found
    POST /v1/printers 422 invalid_request
    PUT /v1/printers 405 method_not_allowed GET,HEAD,POST
    POST /v1/printers/none 405 method_not_allowed GET,HEAD,DELETE
    DELETE /v1/printers/none 404 not_found
    DELETE* /v1/printers/none 401 unauthorized
    POST /v1/printers/none/test 404 not_found
    GET /v1/printers/none/test 405 method_not_allowed POST
    GET /v1/shops 200
    GET /v1/shops/ 404 not_found
    POST /v1/shops 422 invalid_request
    POST* /v1/shops 401 unauthorized
    PUT /v1/shops 405 method_not_allowed GET,HEAD,POST
    GET /v1/settings/providers 200
    GET /v1/settings/backups 200
    GET /v1/settings/health 200
    GET /v1/settings/receipts 200
    GET /v1/settings/receipts/preview 200
    GET /v1/settings/receipts/preview?language=ar&format=text&width=58 200
    GET /v1/settings/receipts/preview?language=tlh 422 invalid_request
    GET /v1/settings/receipts/preview?format=xyz 422 invalid_request
    GET /v1/settings/receipts/preview?width=1 422 invalid_request
    GET /v1/settings/nothing 404 not_found
    POST /v1/settings/backups 405 method_not_allowed GET,HEAD
    GET* /v1/settings/backups 401 unauthorized
    GET /v1/staff 200
    POST /v1/staff 400 idempotency_key_missing
    GET* /v1/staff 401 unauthorized
    GET /v1/staff/staff_0123456789ab 405 method_not_allowed PATCH,DELETE
    PATCH /v1/staff/staff_0123456789ab 422 invalid_request
    DELETE /v1/staff/staff_0123456789ab 404 staff_not_found
    DELETE /v1/staff/%ff 404 not_found
    DELETE* /v1/staff/staff_0123456789ab 401 unauthorized
    GET /v1/roles 200
    POST /v1/roles 422 invalid_request
    PUT /v1/roles 405 method_not_allowed GET,HEAD,POST
    GET /v1/roles/cashier 405 method_not_allowed PUT,DELETE
    PUT /v1/roles/none 422 invalid_request
    DELETE /v1/roles/none 404 unknown_role
    DELETE /v1/roles/cashier 409 built_in_role
    DELETE /v1/roles/c%61shier 409 built_in_role
    DELETE /v1/roles/Cashier 404 unknown_role
    DELETE /v1/roles/a%2Fb 404 unknown_role
    DELETE /v1/roles/cashier%20 404 unknown_role
    DELETE /v1/roles/..%2Fstaff 404 unknown_role
    DELETE /v1/roles/%ff 404 not_found
    DELETE* /v1/roles/none 401 unauthorized
    GET /v1/keys 200
    POST /v1/keys 400 idempotency_key_missing
    GET* /v1/keys 401 unauthorized
    POST /v1/keys/renew 409 key_not_renewable
    GET /v1/keys/renew 405 method_not_allowed POST
    POST /v1/keys/key_0123456789ab/revoke 404 key_not_found
    POST /v1/keys/%ff/revoke 404 not_found
    GET /v1/keys/key_0123456789ab/revoke 405 method_not_allowed POST
    GET /v1/keys/key_0123456789ab 404 not_found
    GET /r/x 404 receipt_link_invalid
    GET /r/ 404 not_found
    GET /r 404 not_found
    GET /r/a.b.c 404 receipt_link_invalid
    GET /r/a/b 404 not_found
    GET /r/x/ 404 not_found
    GET /r/%ff 404 receipt_link_invalid
    GET /r/x?y=z 404 receipt_link_invalid
    POST /r/x 405 method_not_allowed GET,HEAD
    POST /r/ 404 not_found
    GET /back/a 404 not_found
    GET /back/a/b 404 not_found
    GET /back/ 404 not_found
    GET /back 404 not_found
    GET /back/a/b/c 404 not_found
    GET /back/a/success?state=x 404 not_found
    GET /back/%ff/success?state=x 404 not_found
    GET /back//success 404 not_found
    POST /back/a/success 405 method_not_allowed GET,HEAD
    POST /back/ 404 not_found
    POST /back/a 404 not_found
    HEAD /back/a/success?state=x 404
    GET /v1/events?payment=pay_1 404 payment_not_found
    GET /v1/events/ 404 not_found
    POST /v1/events 405 method_not_allowed GET
    GET /v1/offline 200
    GET /v1/offline/ 404 not_found
    POST /v1/offline 405 method_not_allowed GET,HEAD
    DELETE /v1/offline 405 method_not_allowed GET,HEAD
    GET /v1/tap 200
    GET /v1/tap/ 404 not_found
    GET /v1/tap/card 405 method_not_allowed POST
    GET /v1/tap/story 422 invalid_request
    GET /v1/tap/nothing 404 not_found
    GET /v1/tap/card/ 404 not_found
    GET /v1/tap/story?payment=pay_1 404 payment_not_found
    GET /v1/tapx 404 not_found
    POST /v1/tap 405 method_not_allowed GET,HEAD
    POST /v1/tap/card 422 invalid_request
    POST /v1/tap/cancel 422 invalid_request
    POST /v1/tap/story 405 method_not_allowed GET,HEAD
    POST /v1/tap/nothing 404 not_found
    PUT /v1/tap/card 405 method_not_allowed POST
    GET /v1/terminal 404 not_found
    GET /v1/terminal/ 404 not_found
    GET /v1/terminal/readers 200
    GET /v1/terminal/readers/ 404 not_found
    GET /v1/terminal/readers/tmr_1 405 method_not_allowed PATCH,DELETE
    GET /v1/terminal/readers/tmr_1/cancel 405 method_not_allowed POST
    GET /v1/terminal/readers/tmr_1/inputs 409 no_readers
    GET /v1/terminal/readers/tmr_1/answers 405 method_not_allowed POST
    GET /v1/terminal/readers//inputs 404 not_found
    GET /v1/terminal/readers/%41/inputs 404 not_found
    GET /v1/terminal/connection_tokens 405 method_not_allowed POST
    GET /v1/terminal/payments 405 method_not_allowed POST
    GET /v1/terminal/payments/pay_1/settle 405 method_not_allowed POST
    POST /v1/terminal/readers 422 invalid_request
    PUT /v1/terminal/readers 405 method_not_allowed GET,HEAD,POST
    PATCH /v1/terminal/readers/tmr_1 422 invalid_request
    DELETE /v1/terminal/readers/tmr_1 409 no_readers
    DELETE /v1/terminal/readers/%41 404 not_found
    DELETE* /v1/terminal/readers/tmr_1 401 unauthorized
    POST /v1/terminal/readers/tmr_1/cancel 409 no_readers
    POST /v1/terminal/readers/tmr_1/card 409 no_readers
    POST /v1/terminal/readers/tmr_1/inputs 422 invalid_request
    POST /v1/terminal/readers/tmr_1/answers 409 no_readers
    POST /v1/terminal/readers/tmr_1/nothing 404 not_found
    POST /v1/terminal/readers/%41/cancel 404 not_found
    POST /v1/terminal/readers/%ff/cancel 404 not_found
    POST /v1/terminal/readers//cancel 404 not_found
    POST /v1/terminal/readers/tmr_1/cancel/ 404 not_found
    POST /v1/terminal/connection_tokens 409 no_readers
    POST /v1/terminal/connection_tokens/ 404 not_found
    POST /v1/terminal/payments 422 invalid_request
    POST /v1/terminal/payments/pay_1/settle 404 payment_not_found
    POST /v1/terminal/payments/%41/settle 404 payment_not_found
    POST /v1/terminal/payments/PAYMENT/settle 200
    PUT /v1/terminal/readers/tmr_1/inputs 405 method_not_allowed GET,HEAD,POST
    PUT /v1/terminal/payments 405 method_not_allowed POST
    GET /applepay/client.js 200 Vary
    GET /applepay/outcome.js 200 Vary
    GET /applepay/client.css 200 Vary
    GET /applepay/openapi.yaml 200 Vary
    GET /applepay/icon.png 200 Vary
    GET /applepay/simulator.js 200 Vary
    GET /applepay/simulator.css 200 Vary
    GET /applepay/metadata 200 Vary
    GET /applepay/basket/BASKET 200 Vary
    GET /applepay/payment/none 404 not_found Vary
    GET /applepay/payment/BASKET 200 Vary
    GET /applepay/notifications/abc 200 Vary
    GET /applepay/notifications/merchantToken/abc 200 Vary
    GET /applepay/notifications/other/abc 404 not_found Vary
    GET /applepay/notifications/ 404 not_found Vary
    GET /applepay/notifications/a/b/c 404 not_found Vary
    GET /applepay/notifications 404 not_found Vary
    GET /applepay/nothing 404 not_found Vary
    GET /applepay/ 404 not_found Vary
    GET /applepay/basket 404 not_found Vary
    GET /applepay/basket/ 404 not_found Vary
    GET /applepay/basket/none 404 not_found Vary
    GET /applepay/basket/BASKET/ 404 not_found Vary
    GET /applepay/basket//update 404 not_found Vary
    GET /applepay/payment/ 404 not_found Vary
    GET /applepay/sandbox/authorize 405 method_not_allowed POST Vary
    GET /applepay/sandbox 404 not_found Vary
    GET /applepay/metadata/ 404 not_found Vary
    GET /applepay/basket/BASKET/nothing 404 not_found Vary
    GET /applepay/metadata?visitor=a 200 Vary
    GET /applepay/a/b/c/d 404 not_found Vary
    GET /applepay//metadata 404 not_found Vary
    GET /applepay/basket/%ff 404 not_found Vary
    GET /applepay/validate 405 method_not_allowed POST Vary
    GET /applepay/payment 405 method_not_allowed POST Vary
    GET /applepay/basket/BASKET/update 405 method_not_allowed POST Vary
    POST /applepay/client.js 405 method_not_allowed GET,HEAD Vary
    POST /applepay/metadata 405 method_not_allowed GET,HEAD Vary
    POST /applepay/validate 422 invalid_request Vary
    POST /applepay/payment 422 invalid_request Vary
    POST /applepay/basket/BASKET 405 method_not_allowed GET,HEAD Vary
    POST /applepay/basket/BASKET/update 403 basket_proof Vary
    POST /applepay/basket/BASKET/validatepostalcode 403 basket_proof Vary
    POST /applepay/basket/none/update 403 basket_proof Vary
    POST /applepay/payment/BASKET 405 method_not_allowed GET,HEAD Vary
    POST /applepay/notifications/abc 200 Vary
    POST /applepay/notifications/merchantToken/abc 200 Vary
    POST /applepay/notifications/a%20b 404 not_found Vary
    POST /applepay/notifications 404 not_found Vary
    POST /applepay/sandbox/authorize 409 session_refused Vary
    POST /applepay/nothing 404 not_found Vary
    POST /applepay/ 404 not_found Vary
    POST /applepay/a/b/c 404 not_found Vary
    POST /applepay/basket//update 404 not_found Vary
    PUT /applepay/metadata 405 method_not_allowed GET,HEAD Vary
    PUT /applepay/validate 405 method_not_allowed POST Vary
    PUT /applepay/notifications/abc 405 method_not_allowed GET,HEAD,POST Vary
    PUT /applepay/nothing 404 not_found Vary
    PUT /applepay/basket/BASKET 405 method_not_allowed GET,HEAD Vary
    PUT /applepay/sandbox/authorize 405 method_not_allowed POST Vary
    OPTIONS /applepay/metadata 421 domain_not_registered Vary
    OPTIONS /applepay/nothing 421 domain_not_registered Vary
    OPTIONS /applepay/ 421 domain_not_registered Vary
    OPTIONS /applepay 404 not_found
    OPTIONS /shop 405 method_not_allowed GET,HEAD Vary
    OPTIONS /shop/session 405 method_not_allowed GET,HEAD,POST,DELETE Vary
    OPTIONS /.well-known/apple-developer-merchantid-domain-association 405 method_not_allowed GET,HEAD Vary
    OPTIONS /.well-known/apple-developer-merchantid-domain-association.txt 405 method_not_allowed GET,HEAD Vary
    GET /applepay 404 not_found
    GET /applepay/metadata#x 404 not_found Vary
    GET /shop 200 Vary
    GET /shop/ 404 not_found Vary
    GET /shop/shop.js 200 Vary
    GET /shop/shop.css 200 Vary
    GET /shop/session 200 Vary
    GET /shop/baskets 405 method_not_allowed POST Vary
    GET /shop/nothing 404 not_found Vary
    GET /shop/a/b 404 not_found Vary
    GET /shopx 404 not_found
    GET /shop?x=y 200 Vary
    GET /.well-known/apple-developer-merchantid-domain-association 200 Vary
    GET /.well-known/apple-developer-merchantid-domain-association.txt 200 Vary
    GET /.well-known/apple-developer-merchantid-domain-association/ 404 not_found
    GET /.well-known 404 not_found
    GET /.well-known/other 404 not_found
    POST /shop 405 method_not_allowed GET,HEAD Vary
    POST /shop/shop.js 405 method_not_allowed GET,HEAD Vary
    POST /shop/session 422 invalid_request Vary
    POST /shop/baskets 422 invalid_request Vary
    POST /shop/nothing 404 not_found Vary
    POST /.well-known/apple-developer-merchantid-domain-association 405 method_not_allowed GET,HEAD Vary
    POST /.well-known/apple-developer-merchantid-domain-association.txt 405 method_not_allowed GET,HEAD Vary
    DELETE /shop/session 200 Vary
    DELETE /shop/baskets 405 method_not_allowed POST Vary
    PUT /shop/session 405 method_not_allowed GET,HEAD,POST,DELETE Vary
    PUT /shop 405 method_not_allowed GET,HEAD Vary
    GET* / 200
    GET* /metrics 401 unauthorized
    GET* /v1/payments 401 unauthorized
    GET* /v1/payments/%ff 401 unauthorized
    GET* /v1/payments/PAYMENT 401 unauthorized
    GET* /v1/events 401 unauthorized
    GET* /v1/offline 401 unauthorized
    GET* /v1/printers 401 unauthorized
    GET* /v1/day 401 unauthorized
    GET* /v1/day/drawers 401 unauthorized
    POST* /v1/day/drawer 401 unauthorized
    GET* /v1/day/report.csv 401 unauthorized
    GET* /v1/day/reports/1 401 unauthorized
    GET* /v1/day/reports/1.csv 401 unauthorized
    GET* /v1/day/report.pdf 401 unauthorized
    GET* /v1/day/reports/1.pdf 401 unauthorized
    POST* /v1/day/reports/1/print 401 unauthorized
    POST* /v1/day/open 401 unauthorized
    GET* /v1/insights 401 unauthorized
    GET* /v1/insights.csv 401 unauthorized
    GET* /v1/printers/x 401 unauthorized
    GET* /v1/tap 401 unauthorized
    GET* /v1/terminal/readers 401 unauthorized
    GET* /v1/terminal/readers/%41/inputs 401 unauthorized
    GET* /v1/nothing 404 not_found
    GET* /v1/payments//confirm 404 not_found
    GET* /r/x 404 receipt_link_invalid
    GET* /applepay/metadata 200 Vary
    GET* /shop 200 Vary
    PUT* /v1/payments 405 method_not_allowed GET,HEAD,POST
    PUT* /v1/payments/PAYMENT 405 method_not_allowed GET,HEAD
    POST* /v1/payments 401 unauthorized
    POST* /v1/payments/%ff/confirm 401 unauthorized
    POST* /v1/payments//confirm 404 not_found
    POST* /v1/payments/PAYMENT/receipt/link 401 unauthorized
    POST* /session 403 foreign_page
    DELETE* /session 403 foreign_page
    POST* /v1/tap/card 401 unauthorized
    """
