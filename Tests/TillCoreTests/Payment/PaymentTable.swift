/// State | command or answer | events, `-` for none, or `!` and the code of the refusal.
enum PaymentTable {
    static let commands = """
        created | attempt | attempt.started
        created | capture | ! nothing_to_capture
        created | capture 40 | ! nothing_to_capture
        created | capture 101 | ! nothing_to_capture
        created | cancel | payment.cancel_requested payment.canceled
        created | renew | ! nothing_held
        created | renew early | ! nothing_held
        created | refund | ! nothing_to_refund
        created | refund 60 | ! nothing_to_refund
        created | refund -1 | ! nothing_to_refund
        created | refund 1 USD | ! nothing_to_refund
        in flight | attempt | ! payment_in_progress
        in flight | capture | ! payment_in_progress
        in flight | capture 40 | ! payment_in_progress
        in flight | capture 101 | ! payment_in_progress
        in flight | cancel | payment.cancel_requested
        in flight | renew | ! payment_in_progress
        in flight | renew early | ! payment_in_progress
        in flight | refund | ! nothing_to_refund
        in flight | refund 60 | ! nothing_to_refund
        in flight | refund -1 | ! nothing_to_refund
        in flight | refund 1 USD | ! nothing_to_refund
        challenge | attempt | ! payment_in_progress
        challenge | capture | ! payment_in_progress
        challenge | capture 40 | ! payment_in_progress
        challenge | capture 101 | ! payment_in_progress
        challenge | cancel | payment.cancel_requested void.started
        challenge | renew | ! payment_in_progress
        challenge | renew early | ! payment_in_progress
        challenge | refund | ! nothing_to_refund
        challenge | refund 60 | ! nothing_to_refund
        challenge | refund -1 | ! nothing_to_refund
        challenge | refund 1 USD | ! nothing_to_refund
        unknown | attempt | ! payment_in_progress
        unknown | capture | ! payment_in_progress
        unknown | capture 40 | ! payment_in_progress
        unknown | capture 101 | ! payment_in_progress
        unknown | cancel | payment.cancel_requested
        unknown | renew | ! payment_in_progress
        unknown | renew early | ! payment_in_progress
        unknown | refund | ! nothing_to_refund
        unknown | refund 60 | ! nothing_to_refund
        unknown | refund -1 | ! nothing_to_refund
        unknown | refund 1 USD | ! nothing_to_refund
        declined | attempt | attempt.started
        declined | capture | ! nothing_to_capture
        declined | capture 40 | ! nothing_to_capture
        declined | capture 101 | ! nothing_to_capture
        declined | cancel | payment.cancel_requested payment.canceled
        declined | renew | ! nothing_held
        declined | renew early | ! nothing_held
        declined | refund | ! nothing_to_refund
        declined | refund 60 | ! nothing_to_refund
        declined | refund -1 | ! nothing_to_refund
        declined | refund 1 USD | ! nothing_to_refund
        not sent | attempt | attempt.started
        not sent | capture | ! nothing_to_capture
        not sent | capture 40 | ! nothing_to_capture
        not sent | capture 101 | ! nothing_to_capture
        not sent | cancel | payment.cancel_requested payment.canceled
        not sent | renew | ! nothing_held
        not sent | renew early | ! nothing_held
        not sent | refund | ! nothing_to_refund
        not sent | refund 60 | ! nothing_to_refund
        not sent | refund -1 | ! nothing_to_refund
        not sent | refund 1 USD | ! nothing_to_refund
        held | attempt | ! order_already_paid
        held | capture | capture.started
        held | capture 40 | capture.started
        held | capture 101 | ! capture_exceeds_authorization
        held | cancel | payment.cancel_requested void.started
        held | renew | renewal.started
        held | renew early | ! reauthorization_too_early
        held | refund | ! nothing_to_refund
        held | refund 60 | ! nothing_to_refund
        held | refund -1 | ! nothing_to_refund
        held | refund 1 USD | ! nothing_to_refund
        capturing | attempt | ! payment_in_progress
        capturing | capture | ! operation_in_progress
        capturing | capture 40 | ! operation_in_progress
        capturing | capture 101 | ! operation_in_progress
        capturing | cancel | ! operation_in_progress
        capturing | renew | ! operation_in_progress
        capturing | renew early | ! operation_in_progress
        capturing | refund | ! nothing_to_refund
        capturing | refund 60 | ! nothing_to_refund
        capturing | refund -1 | ! nothing_to_refund
        capturing | refund 1 USD | ! nothing_to_refund
        capture unknown | attempt | ! payment_in_progress
        capture unknown | capture | ! operation_in_progress
        capture unknown | capture 40 | ! operation_in_progress
        capture unknown | capture 101 | ! operation_in_progress
        capture unknown | cancel | ! operation_in_progress
        capture unknown | renew | ! operation_in_progress
        capture unknown | renew early | ! operation_in_progress
        capture unknown | refund | ! nothing_to_refund
        capture unknown | refund 60 | ! nothing_to_refund
        capture unknown | refund -1 | ! nothing_to_refund
        capture unknown | refund 1 USD | ! nothing_to_refund
        partly captured | attempt | ! order_already_paid
        partly captured | capture | capture.started
        partly captured | capture 40 | capture.started
        partly captured | capture 101 | ! capture_exceeds_authorization
        partly captured | cancel | void.started
        partly captured | renew | renewal.started
        partly captured | renew early | ! reauthorization_too_early
        partly captured | refund | refund.started
        partly captured | refund 60 | ! refund_exceeds_captured
        partly captured | refund -1 | ! invalid_amount
        partly captured | refund 1 USD | ! invalid_amount
        partly, letting go | attempt | ! order_already_paid
        partly, letting go | capture | ! operation_in_progress
        partly, letting go | capture 40 | ! operation_in_progress
        partly, letting go | capture 101 | ! operation_in_progress
        partly, letting go | cancel | ! operation_in_progress
        partly, letting go | renew | ! operation_in_progress
        partly, letting go | renew early | ! operation_in_progress
        partly, letting go | refund | refund.started
        partly, letting go | refund 60 | ! refund_exceeds_captured
        partly, letting go | refund -1 | ! invalid_amount
        partly, letting go | refund 1 USD | ! invalid_amount
        partly, let go | attempt | ! order_already_paid
        partly, let go | capture | ! nothing_to_capture
        partly, let go | capture 40 | ! nothing_to_capture
        partly, let go | capture 101 | ! nothing_to_capture
        partly, let go | cancel | ! captured_already
        partly, let go | renew | ! nothing_held
        partly, let go | renew early | ! nothing_held
        partly, let go | refund | refund.started
        partly, let go | refund 60 | ! refund_exceeds_captured
        partly, let go | refund -1 | ! invalid_amount
        partly, let go | refund 1 USD | ! invalid_amount
        partly, all back | attempt | ! payment_closed
        partly, all back | capture | ! payment_closed
        partly, all back | capture 40 | ! payment_closed
        partly, all back | capture 101 | ! payment_closed
        partly, all back | cancel | void.started
        partly, all back | renew | ! payment_closed
        partly, all back | renew early | ! payment_closed
        partly, all back | refund | ! nothing_to_refund
        partly, all back | refund 60 | ! nothing_to_refund
        partly, all back | refund -1 | ! nothing_to_refund
        partly, all back | refund 1 USD | ! nothing_to_refund
        captured | attempt | ! order_already_paid
        captured | capture | ! nothing_to_capture
        captured | capture 40 | ! nothing_to_capture
        captured | capture 101 | ! nothing_to_capture
        captured | cancel | ! captured_already
        captured | renew | ! nothing_held
        captured | renew early | ! nothing_held
        captured | refund | refund.started
        captured | refund 60 | refund.started
        captured | refund -1 | ! invalid_amount
        captured | refund 1 USD | ! invalid_amount
        refunding 60 | attempt | ! order_already_paid
        refunding 60 | capture | ! nothing_to_capture
        refunding 60 | capture 40 | ! nothing_to_capture
        refunding 60 | capture 101 | ! nothing_to_capture
        refunding 60 | cancel | ! captured_already
        refunding 60 | renew | ! nothing_held
        refunding 60 | renew early | ! nothing_held
        refunding 60 | refund | refund.started
        refunding 60 | refund 60 | ! refund_exceeds_captured
        refunding 60 | refund -1 | ! invalid_amount
        refunding 60 | refund 1 USD | ! invalid_amount
        refunded 60 | attempt | ! order_already_paid
        refunded 60 | capture | ! nothing_to_capture
        refunded 60 | capture 40 | ! nothing_to_capture
        refunded 60 | capture 101 | ! nothing_to_capture
        refunded 60 | cancel | ! captured_already
        refunded 60 | renew | ! nothing_held
        refunded 60 | renew early | ! nothing_held
        refunded 60 | refund | refund.started
        refunded 60 | refund 60 | ! refund_exceeds_captured
        refunded 60 | refund -1 | ! invalid_amount
        refunded 60 | refund 1 USD | ! invalid_amount
        refunded | attempt | ! payment_closed
        refunded | capture | ! payment_closed
        refunded | capture 40 | ! payment_closed
        refunded | capture 101 | ! payment_closed
        refunded | cancel | ! captured_already
        refunded | renew | ! payment_closed
        refunded | renew early | ! payment_closed
        refunded | refund | ! nothing_to_refund
        refunded | refund 60 | ! nothing_to_refund
        refunded | refund -1 | ! nothing_to_refund
        refunded | refund 1 USD | ! nothing_to_refund
        refund refused | attempt | ! order_already_paid
        refund refused | capture | ! nothing_to_capture
        refund refused | capture 40 | ! nothing_to_capture
        refund refused | capture 101 | ! nothing_to_capture
        refund refused | cancel | ! captured_already
        refund refused | renew | ! nothing_held
        refund refused | renew early | ! nothing_held
        refund refused | refund | refund.started
        refund refused | refund 60 | refund.started
        refund refused | refund -1 | ! invalid_amount
        refund refused | refund 1 USD | ! invalid_amount
        canceling | attempt | ! payment_in_progress
        canceling | capture | ! payment_in_progress
        canceling | capture 40 | ! payment_in_progress
        canceling | capture 101 | ! payment_in_progress
        canceling | cancel | ! operation_in_progress
        canceling | renew | ! payment_in_progress
        canceling | renew early | ! payment_in_progress
        canceling | refund | ! nothing_to_refund
        canceling | refund 60 | ! nothing_to_refund
        canceling | refund -1 | ! nothing_to_refund
        canceling | refund 1 USD | ! nothing_to_refund
        voiding | attempt | ! order_already_paid
        voiding | capture | ! operation_in_progress
        voiding | capture 40 | ! operation_in_progress
        voiding | capture 101 | ! operation_in_progress
        voiding | cancel | ! operation_in_progress
        voiding | renew | ! operation_in_progress
        voiding | renew early | ! operation_in_progress
        voiding | refund | ! nothing_to_refund
        voiding | refund 60 | ! nothing_to_refund
        voiding | refund -1 | ! nothing_to_refund
        voiding | refund 1 USD | ! nothing_to_refund
        abandoning | attempt | ! payment_in_progress
        abandoning | capture | ! payment_in_progress
        abandoning | capture 40 | ! payment_in_progress
        abandoning | capture 101 | ! payment_in_progress
        abandoning | cancel | payment.cancel_requested
        abandoning | renew | ! payment_in_progress
        abandoning | renew early | ! payment_in_progress
        abandoning | refund | ! nothing_to_refund
        abandoning | refund 60 | ! nothing_to_refund
        abandoning | refund -1 | ! nothing_to_refund
        abandoning | refund 1 USD | ! nothing_to_refund
        abandoned | attempt | attempt.started
        abandoned | capture | ! nothing_to_capture
        abandoned | capture 40 | ! nothing_to_capture
        abandoned | capture 101 | ! nothing_to_capture
        abandoned | cancel | payment.cancel_requested payment.canceled
        abandoned | renew | ! nothing_held
        abandoned | renew early | ! nothing_held
        abandoned | refund | ! nothing_to_refund
        abandoned | refund 60 | ! nothing_to_refund
        abandoned | refund -1 | ! nothing_to_refund
        abandoned | refund 1 USD | ! nothing_to_refund
        canceled | attempt | ! payment_closed
        canceled | capture | ! nothing_to_capture
        canceled | capture 40 | ! nothing_to_capture
        canceled | capture 101 | ! nothing_to_capture
        canceled | cancel | ! payment_closed
        canceled | renew | ! nothing_held
        canceled | renew early | ! nothing_held
        canceled | refund | ! nothing_to_refund
        canceled | refund 60 | ! nothing_to_refund
        canceled | refund -1 | ! nothing_to_refund
        canceled | refund 1 USD | ! nothing_to_refund
        expired | attempt | ! payment_closed
        expired | capture | ! nothing_to_capture
        expired | capture 40 | ! nothing_to_capture
        expired | capture 101 | ! nothing_to_capture
        expired | cancel | payment.cancel_requested payment.canceled
        expired | renew | ! nothing_held
        expired | renew early | ! nothing_held
        expired | refund | ! nothing_to_refund
        expired | refund 60 | ! nothing_to_refund
        expired | refund -1 | ! nothing_to_refund
        expired | refund 1 USD | ! nothing_to_refund
        continuing | attempt | ! payment_in_progress
        continuing | capture | ! payment_in_progress
        continuing | capture 40 | ! payment_in_progress
        continuing | capture 101 | ! payment_in_progress
        continuing | cancel | payment.cancel_requested
        continuing | renew | ! payment_in_progress
        continuing | renew early | ! payment_in_progress
        continuing | refund | ! nothing_to_refund
        continuing | refund 60 | ! nothing_to_refund
        continuing | refund -1 | ! nothing_to_refund
        continuing | refund 1 USD | ! nothing_to_refund
        continuation unknown | attempt | ! payment_in_progress
        continuation unknown | capture | ! payment_in_progress
        continuation unknown | capture 40 | ! payment_in_progress
        continuation unknown | capture 101 | ! payment_in_progress
        continuation unknown | cancel | payment.cancel_requested
        continuation unknown | renew | ! payment_in_progress
        continuation unknown | renew early | ! payment_in_progress
        continuation unknown | refund | ! nothing_to_refund
        continuation unknown | refund 60 | ! nothing_to_refund
        continuation unknown | refund -1 | ! nothing_to_refund
        continuation unknown | refund 1 USD | ! nothing_to_refund
        continuing, canceled | attempt | ! payment_in_progress
        continuing, canceled | capture | ! payment_in_progress
        continuing, canceled | capture 40 | ! payment_in_progress
        continuing, canceled | capture 101 | ! payment_in_progress
        continuing, canceled | cancel | ! operation_in_progress
        continuing, canceled | renew | ! payment_in_progress
        continuing, canceled | renew early | ! payment_in_progress
        continuing, canceled | refund | ! nothing_to_refund
        continuing, canceled | refund 60 | ! nothing_to_refund
        continuing, canceled | refund -1 | ! nothing_to_refund
        continuing, canceled | refund 1 USD | ! nothing_to_refund
        renewing | attempt | ! order_already_paid
        renewing | capture | ! operation_in_progress
        renewing | capture 40 | ! operation_in_progress
        renewing | capture 101 | ! operation_in_progress
        renewing | cancel | ! operation_in_progress
        renewing | renew | ! operation_in_progress
        renewing | renew early | ! operation_in_progress
        renewing | refund | ! nothing_to_refund
        renewing | refund 60 | ! nothing_to_refund
        renewing | refund -1 | ! nothing_to_refund
        renewing | refund 1 USD | ! nothing_to_refund
        renewed | attempt | ! order_already_paid
        renewed | capture | capture.started
        renewed | capture 40 | capture.started
        renewed | capture 101 | ! capture_exceeds_authorization
        renewed | cancel | payment.cancel_requested void.started
        renewed | renew | ! reauthorization_not_supported
        renewed | renew early | ! reauthorization_not_supported
        renewed | refund | ! nothing_to_refund
        renewed | refund 60 | ! nothing_to_refund
        renewed | refund -1 | ! nothing_to_refund
        renewed | refund 1 USD | ! nothing_to_refund
        refund failed later | attempt | ! order_already_paid
        refund failed later | capture | ! nothing_to_capture
        refund failed later | capture 40 | ! nothing_to_capture
        refund failed later | capture 101 | ! nothing_to_capture
        refund failed later | cancel | ! captured_already
        refund failed later | renew | ! nothing_held
        refund failed later | renew early | ! nothing_held
        refund failed later | refund | refund.started
        refund failed later | refund 60 | refund.started
        refund failed later | refund -1 | ! invalid_amount
        refund failed later | refund 1 USD | ! invalid_amount
        capture failed later | attempt | ! payment_closed
        capture failed later | capture | ! nothing_to_capture
        capture failed later | capture 40 | ! nothing_to_capture
        capture failed later | capture 101 | ! nothing_to_capture
        capture failed later | cancel | payment.cancel_requested void.started
        capture failed later | renew | ! nothing_held
        capture failed later | renew early | ! nothing_held
        capture failed later | refund | ! nothing_to_refund
        capture failed later | refund 60 | ! nothing_to_refund
        capture failed later | refund -1 | ! nothing_to_refund
        capture failed later | refund 1 USD | ! nothing_to_refund
        disputed | attempt | ! order_already_paid
        disputed | capture | ! nothing_to_capture
        disputed | capture 40 | ! nothing_to_capture
        disputed | capture 101 | ! nothing_to_capture
        disputed | cancel | ! captured_already
        disputed | renew | ! nothing_held
        disputed | renew early | ! nothing_held
        disputed | refund | ! payment_disputed
        disputed | refund 60 | ! payment_disputed
        disputed | refund -1 | ! payment_disputed
        disputed | refund 1 USD | ! payment_disputed
        dispute won | attempt | ! order_already_paid
        dispute won | capture | ! nothing_to_capture
        dispute won | capture 40 | ! nothing_to_capture
        dispute won | capture 101 | ! nothing_to_capture
        dispute won | cancel | ! captured_already
        dispute won | renew | ! nothing_held
        dispute won | renew early | ! nothing_held
        dispute won | refund | refund.started
        dispute won | refund 60 | refund.started
        dispute won | refund -1 | ! invalid_amount
        dispute won | refund 1 USD | ! invalid_amount
        captured by others | attempt | ! order_already_paid
        captured by others | capture | ! nothing_to_capture
        captured by others | capture 40 | ! nothing_to_capture
        captured by others | capture 101 | ! nothing_to_capture
        captured by others | cancel | ! captured_already
        captured by others | renew | ! nothing_held
        captured by others | renew early | ! nothing_held
        captured by others | refund | refund.started
        captured by others | refund 60 | refund.started
        captured by others | refund -1 | ! invalid_amount
        captured by others | refund 1 USD | ! invalid_amount
        refunded by others | attempt | ! payment_closed
        refunded by others | capture | ! payment_closed
        refunded by others | capture 40 | ! payment_closed
        refunded by others | capture 101 | ! payment_closed
        refunded by others | cancel | ! captured_already
        refunded by others | renew | ! payment_closed
        refunded by others | renew early | ! payment_closed
        refunded by others | refund | ! nothing_to_refund
        refunded by others | refund 60 | ! nothing_to_refund
        refunded by others | refund -1 | ! nothing_to_refund
        refunded by others | refund 1 USD | ! nothing_to_refund
        """

    static let answers = """
        created | prepared | -
        created | prepare lost | -
        created | approved | -
        created | declined | -
        created | auth lost | -
        created | auth unsent | -
        created | auth asks | -
        created | continued | -
        created | continue no | -
        created | continue lost | -
        created | continue unsent | -
        created | continue asks | -
        created | renewed | -
        created | renewal no | -
        created | renewal lost | -
        created | captured | -
        created | capture lost | -
        created | capture no | -
        created | voided | -
        created | void lost | -
        created | void no | -
        created | refunded | -
        created | refund lost | -
        created | refund unsent | -
        created | seen continuable | -
        created | seen renewed | -
        created | seen nothing | -
        created | seen held | -
        created | seen taken | -
        created | seen declined | -
        created | seen voided | -
        created | seen rest voided | -
        created | seen refund failed | -
        created | seen refund of others | -
        created | seen refund begun by others | -
        created | seen capture failed | -
        created | seen inquiry | -
        created | seen chargeback | -
        created | seen dispute won | -
        created | seen dispute lost | -
        created | not seen | -
        in flight | prepared | attempt.prepared
        in flight | prepare lost | attempt.not_sent
        in flight | approved | attempt.authorized capture.started
        in flight | declined | attempt.declined
        in flight | auth lost | operation.unknown
        in flight | auth unsent | attempt.not_sent
        in flight | auth asks | attempt.action_required
        in flight | continued | -
        in flight | continue no | -
        in flight | continue lost | -
        in flight | continue unsent | -
        in flight | continue asks | -
        in flight | renewed | -
        in flight | renewal no | -
        in flight | renewal lost | -
        in flight | captured | -
        in flight | capture lost | -
        in flight | capture no | -
        in flight | voided | -
        in flight | void lost | -
        in flight | void no | -
        in flight | refunded | -
        in flight | refund lost | -
        in flight | refund unsent | -
        in flight | seen continuable | continuation.started
        in flight | seen renewed | attempt.authorized capture.started
        in flight | seen nothing | void.started
        in flight | seen held | attempt.authorized capture.started
        in flight | seen taken | attempt.authorized
        in flight | seen declined | attempt.declined
        in flight | seen voided | void.succeeded
        in flight | seen rest voided | void.succeeded
        in flight | seen refund failed | attempt.authorized
        in flight | seen refund of others | attempt.authorized
        in flight | seen refund begun by others | attempt.authorized
        in flight | seen capture failed | attempt.authorized capture.started
        in flight | seen inquiry | attempt.authorized
        in flight | seen chargeback | attempt.authorized
        in flight | seen dispute won | attempt.authorized
        in flight | seen dispute lost | attempt.authorized
        in flight | not seen | operation.unknown
        challenge | prepared | -
        challenge | prepare lost | -
        challenge | approved | attempt.authorized capture.started
        challenge | declined | attempt.declined
        challenge | auth lost | operation.unknown
        challenge | auth unsent | attempt.not_sent
        challenge | auth asks | attempt.action_required
        challenge | continued | -
        challenge | continue no | -
        challenge | continue lost | -
        challenge | continue unsent | -
        challenge | continue asks | -
        challenge | renewed | -
        challenge | renewal no | -
        challenge | renewal lost | -
        challenge | captured | -
        challenge | capture lost | -
        challenge | capture no | -
        challenge | voided | -
        challenge | void lost | -
        challenge | void no | -
        challenge | refunded | -
        challenge | refund lost | -
        challenge | refund unsent | -
        challenge | seen continuable | continuation.started
        challenge | seen renewed | attempt.authorized capture.started
        challenge | seen nothing | void.started
        challenge | seen held | attempt.authorized capture.started
        challenge | seen taken | attempt.authorized
        challenge | seen declined | attempt.declined
        challenge | seen voided | void.succeeded
        challenge | seen rest voided | void.succeeded
        challenge | seen refund failed | attempt.authorized
        challenge | seen refund of others | attempt.authorized
        challenge | seen refund begun by others | attempt.authorized
        challenge | seen capture failed | attempt.authorized capture.started
        challenge | seen inquiry | attempt.authorized
        challenge | seen chargeback | attempt.authorized
        challenge | seen dispute won | attempt.authorized
        challenge | seen dispute lost | attempt.authorized
        challenge | not seen | -
        unknown | prepared | -
        unknown | prepare lost | -
        unknown | approved | attempt.authorized capture.started
        unknown | declined | attempt.declined
        unknown | auth lost | operation.unknown
        unknown | auth unsent | attempt.not_sent
        unknown | auth asks | attempt.action_required
        unknown | continued | -
        unknown | continue no | -
        unknown | continue lost | -
        unknown | continue unsent | -
        unknown | continue asks | -
        unknown | renewed | -
        unknown | renewal no | -
        unknown | renewal lost | -
        unknown | captured | -
        unknown | capture lost | -
        unknown | capture no | -
        unknown | voided | -
        unknown | void lost | -
        unknown | void no | -
        unknown | refunded | -
        unknown | refund lost | -
        unknown | refund unsent | -
        unknown | seen continuable | continuation.started
        unknown | seen renewed | attempt.authorized capture.started
        unknown | seen nothing | void.started
        unknown | seen held | attempt.authorized capture.started
        unknown | seen taken | attempt.authorized
        unknown | seen declined | attempt.declined
        unknown | seen voided | void.succeeded
        unknown | seen rest voided | void.succeeded
        unknown | seen refund failed | attempt.authorized
        unknown | seen refund of others | attempt.authorized
        unknown | seen refund begun by others | attempt.authorized
        unknown | seen capture failed | attempt.authorized capture.started
        unknown | seen inquiry | attempt.authorized
        unknown | seen chargeback | attempt.authorized
        unknown | seen dispute won | attempt.authorized
        unknown | seen dispute lost | attempt.authorized
        unknown | not seen | operation.unknown
        declined | prepared | -
        declined | prepare lost | -
        declined | approved | attempt.authorized void.started payment.attention_required
        declined | declined | -
        declined | auth lost | -
        declined | auth unsent | -
        declined | auth asks | -
        declined | continued | attempt.authorized void.started payment.attention_required
        declined | continue no | -
        declined | continue lost | -
        declined | continue unsent | -
        declined | continue asks | -
        declined | renewed | -
        declined | renewal no | -
        declined | renewal lost | -
        declined | captured | -
        declined | capture lost | -
        declined | capture no | -
        declined | voided | -
        declined | void lost | -
        declined | void no | -
        declined | refunded | -
        declined | refund lost | -
        declined | refund unsent | -
        declined | seen continuable | -
        declined | seen renewed | attempt.authorized void.started payment.attention_required
        declined | seen nothing | -
        declined | seen held | attempt.authorized void.started payment.attention_required
        declined | seen taken | attempt.prepared operation.unknown payment.attention_required
        declined | seen declined | -
        declined | seen voided | -
        declined | seen rest voided | -
        declined | seen refund failed | attempt.prepared operation.unknown payment.attention_required
        declined | seen refund of others | attempt.prepared operation.unknown payment.attention_required
        declined | seen refund begun by others | attempt.prepared operation.unknown payment.attention_required
        declined | seen capture failed | attempt.authorized void.started payment.attention_required
        declined | seen inquiry | attempt.prepared operation.unknown payment.attention_required
        declined | seen chargeback | attempt.prepared operation.unknown payment.attention_required
        declined | seen dispute won | attempt.prepared operation.unknown payment.attention_required
        declined | seen dispute lost | attempt.prepared operation.unknown payment.attention_required
        declined | not seen | -
        not sent | prepared | -
        not sent | prepare lost | -
        not sent | approved | attempt.authorized void.started payment.attention_required
        not sent | declined | -
        not sent | auth lost | -
        not sent | auth unsent | -
        not sent | auth asks | -
        not sent | continued | attempt.authorized void.started payment.attention_required
        not sent | continue no | -
        not sent | continue lost | -
        not sent | continue unsent | -
        not sent | continue asks | -
        not sent | renewed | -
        not sent | renewal no | -
        not sent | renewal lost | -
        not sent | captured | -
        not sent | capture lost | -
        not sent | capture no | -
        not sent | voided | -
        not sent | void lost | -
        not sent | void no | -
        not sent | refunded | -
        not sent | refund lost | -
        not sent | refund unsent | -
        not sent | seen continuable | -
        not sent | seen renewed | attempt.authorized void.started payment.attention_required
        not sent | seen nothing | -
        not sent | seen held | attempt.authorized void.started payment.attention_required
        not sent | seen taken | attempt.prepared operation.unknown payment.attention_required
        not sent | seen declined | -
        not sent | seen voided | -
        not sent | seen rest voided | -
        not sent | seen refund failed | attempt.prepared operation.unknown payment.attention_required
        not sent | seen refund of others | attempt.prepared operation.unknown payment.attention_required
        not sent | seen refund begun by others | attempt.prepared operation.unknown payment.attention_required
        not sent | seen capture failed | attempt.authorized void.started payment.attention_required
        not sent | seen inquiry | attempt.prepared operation.unknown payment.attention_required
        not sent | seen chargeback | attempt.prepared operation.unknown payment.attention_required
        not sent | seen dispute won | attempt.prepared operation.unknown payment.attention_required
        not sent | seen dispute lost | attempt.prepared operation.unknown payment.attention_required
        not sent | not seen | -
        held | prepared | -
        held | prepare lost | -
        held | approved | -
        held | declined | -
        held | auth lost | -
        held | auth unsent | -
        held | auth asks | -
        held | continued | -
        held | continue no | -
        held | continue lost | -
        held | continue unsent | -
        held | continue asks | -
        held | renewed | -
        held | renewal no | -
        held | renewal lost | -
        held | captured | -
        held | capture lost | -
        held | capture no | -
        held | voided | -
        held | void lost | -
        held | void no | -
        held | refunded | -
        held | refund lost | -
        held | refund unsent | -
        held | seen continuable | -
        held | seen renewed | -
        held | seen nothing | -
        held | seen held | -
        held | seen taken | capture.reported
        held | seen declined | -
        held | seen voided | attempt.expired
        held | seen rest voided | attempt.expired capture.reported
        held | seen refund failed | capture.reported
        held | seen refund of others | capture.reported refund.reported
        held | seen refund begun by others | capture.reported refund.reported operation.unknown
        held | seen capture failed | -
        held | seen inquiry | capture.reported dispute.opened payment.attention_required
        held | seen chargeback | capture.reported dispute.opened payment.attention_required dispute.funds_withdrawn
        held | seen dispute won | capture.reported dispute.opened dispute.closed
        held | seen dispute lost | capture.reported dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        held | not seen | -
        capturing | prepared | -
        capturing | prepare lost | -
        capturing | approved | -
        capturing | declined | -
        capturing | auth lost | -
        capturing | auth unsent | -
        capturing | auth asks | -
        capturing | continued | -
        capturing | continue no | -
        capturing | continue lost | -
        capturing | continue unsent | -
        capturing | continue asks | -
        capturing | renewed | -
        capturing | renewal no | -
        capturing | renewal lost | -
        capturing | captured | capture.succeeded
        capturing | capture lost | operation.unknown
        capturing | capture no | operation.refused payment.attention_required
        capturing | voided | -
        capturing | void lost | -
        capturing | void no | -
        capturing | refunded | -
        capturing | refund lost | -
        capturing | refund unsent | -
        capturing | seen continuable | operation.deferred
        capturing | seen renewed | operation.deferred
        capturing | seen nothing | operation.deferred
        capturing | seen held | operation.deferred
        capturing | seen taken | capture.succeeded
        capturing | seen declined | operation.deferred
        capturing | seen voided | operation.refused attempt.expired
        capturing | seen rest voided | operation.refused attempt.expired
        capturing | seen refund failed | capture.succeeded
        capturing | seen refund of others | capture.succeeded refund.reported
        capturing | seen refund begun by others | capture.succeeded refund.reported operation.unknown
        capturing | seen capture failed | operation.deferred
        capturing | seen inquiry | capture.succeeded dispute.opened payment.attention_required
        capturing | seen chargeback | capture.succeeded dispute.opened payment.attention_required dispute.funds_withdrawn
        capturing | seen dispute won | capture.succeeded dispute.opened dispute.closed
        capturing | seen dispute lost | capture.succeeded dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        capturing | not seen | operation.unknown
        capture unknown | prepared | -
        capture unknown | prepare lost | -
        capture unknown | approved | -
        capture unknown | declined | -
        capture unknown | auth lost | -
        capture unknown | auth unsent | -
        capture unknown | auth asks | -
        capture unknown | continued | -
        capture unknown | continue no | -
        capture unknown | continue lost | -
        capture unknown | continue unsent | -
        capture unknown | continue asks | -
        capture unknown | renewed | -
        capture unknown | renewal no | -
        capture unknown | renewal lost | -
        capture unknown | captured | capture.succeeded
        capture unknown | capture lost | operation.unknown
        capture unknown | capture no | operation.refused payment.attention_required
        capture unknown | voided | -
        capture unknown | void lost | -
        capture unknown | void no | -
        capture unknown | refunded | -
        capture unknown | refund lost | -
        capture unknown | refund unsent | -
        capture unknown | seen continuable | operation.deferred
        capture unknown | seen renewed | operation.deferred
        capture unknown | seen nothing | operation.deferred
        capture unknown | seen held | operation.deferred
        capture unknown | seen taken | capture.succeeded
        capture unknown | seen declined | operation.deferred
        capture unknown | seen voided | operation.refused attempt.expired
        capture unknown | seen rest voided | operation.refused attempt.expired
        capture unknown | seen refund failed | capture.succeeded
        capture unknown | seen refund of others | capture.succeeded refund.reported
        capture unknown | seen refund begun by others | capture.succeeded refund.reported operation.unknown
        capture unknown | seen capture failed | operation.deferred
        capture unknown | seen inquiry | capture.succeeded dispute.opened payment.attention_required
        capture unknown | seen chargeback | capture.succeeded dispute.opened payment.attention_required dispute.funds_withdrawn
        capture unknown | seen dispute won | capture.succeeded dispute.opened dispute.closed
        capture unknown | seen dispute lost | capture.succeeded dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        capture unknown | not seen | operation.unknown
        partly captured | prepared | -
        partly captured | prepare lost | -
        partly captured | approved | -
        partly captured | declined | -
        partly captured | auth lost | -
        partly captured | auth unsent | -
        partly captured | auth asks | -
        partly captured | continued | -
        partly captured | continue no | -
        partly captured | continue lost | -
        partly captured | continue unsent | -
        partly captured | continue asks | -
        partly captured | renewed | -
        partly captured | renewal no | -
        partly captured | renewal lost | -
        partly captured | captured | -
        partly captured | capture lost | -
        partly captured | capture no | -
        partly captured | voided | -
        partly captured | void lost | -
        partly captured | void no | -
        partly captured | refunded | -
        partly captured | refund lost | -
        partly captured | refund unsent | -
        partly captured | seen continuable | -
        partly captured | seen renewed | -
        partly captured | seen nothing | -
        partly captured | seen held | -
        partly captured | seen taken | capture.reported
        partly captured | seen declined | -
        partly captured | seen voided | -
        partly captured | seen rest voided | -
        partly captured | seen refund failed | capture.reported
        partly captured | seen refund of others | capture.reported refund.reported
        partly captured | seen refund begun by others | capture.reported refund.reported operation.unknown
        partly captured | seen capture failed | capture.failed payment.attention_required
        partly captured | seen inquiry | capture.reported dispute.opened payment.attention_required
        partly captured | seen chargeback | capture.reported dispute.opened payment.attention_required dispute.funds_withdrawn
        partly captured | seen dispute won | capture.reported dispute.opened dispute.closed
        partly captured | seen dispute lost | capture.reported dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        partly captured | not seen | -
        partly, letting go | prepared | -
        partly, letting go | prepare lost | -
        partly, letting go | approved | -
        partly, letting go | declined | -
        partly, letting go | auth lost | -
        partly, letting go | auth unsent | -
        partly, letting go | auth asks | -
        partly, letting go | continued | -
        partly, letting go | continue no | -
        partly, letting go | continue lost | -
        partly, letting go | continue unsent | -
        partly, letting go | continue asks | -
        partly, letting go | renewed | -
        partly, letting go | renewal no | -
        partly, letting go | renewal lost | -
        partly, letting go | captured | -
        partly, letting go | capture lost | -
        partly, letting go | capture no | -
        partly, letting go | voided | void.succeeded
        partly, letting go | void lost | operation.unknown
        partly, letting go | void no | operation.refused payment.attention_required
        partly, letting go | refunded | -
        partly, letting go | refund lost | -
        partly, letting go | refund unsent | -
        partly, letting go | seen continuable | operation.deferred
        partly, letting go | seen renewed | operation.deferred
        partly, letting go | seen nothing | operation.deferred
        partly, letting go | seen held | operation.deferred
        partly, letting go | seen taken | operation.deferred capture.reported
        partly, letting go | seen declined | operation.deferred
        partly, letting go | seen voided | operation.deferred
        partly, letting go | seen rest voided | void.succeeded
        partly, letting go | seen refund failed | operation.deferred capture.reported
        partly, letting go | seen refund of others | operation.deferred capture.reported refund.reported
        partly, letting go | seen refund begun by others | operation.deferred capture.reported refund.reported operation.unknown
        partly, letting go | seen capture failed | operation.deferred capture.failed payment.attention_required
        partly, letting go | seen inquiry | operation.deferred capture.reported dispute.opened payment.attention_required
        partly, letting go | seen chargeback | operation.deferred capture.reported dispute.opened payment.attention_required dispute.funds_withdrawn
        partly, letting go | seen dispute won | operation.deferred capture.reported dispute.opened dispute.closed
        partly, letting go | seen dispute lost | operation.deferred capture.reported dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        partly, letting go | not seen | operation.unknown
        partly, let go | prepared | -
        partly, let go | prepare lost | -
        partly, let go | approved | -
        partly, let go | declined | -
        partly, let go | auth lost | -
        partly, let go | auth unsent | -
        partly, let go | auth asks | -
        partly, let go | continued | -
        partly, let go | continue no | -
        partly, let go | continue lost | -
        partly, let go | continue unsent | -
        partly, let go | continue asks | -
        partly, let go | renewed | -
        partly, let go | renewal no | -
        partly, let go | renewal lost | -
        partly, let go | captured | -
        partly, let go | capture lost | -
        partly, let go | capture no | -
        partly, let go | voided | -
        partly, let go | void lost | -
        partly, let go | void no | -
        partly, let go | refunded | -
        partly, let go | refund lost | -
        partly, let go | refund unsent | -
        partly, let go | seen continuable | -
        partly, let go | seen renewed | -
        partly, let go | seen nothing | -
        partly, let go | seen held | -
        partly, let go | seen taken | capture.reported
        partly, let go | seen declined | -
        partly, let go | seen voided | -
        partly, let go | seen rest voided | -
        partly, let go | seen refund failed | capture.reported
        partly, let go | seen refund of others | capture.reported refund.reported
        partly, let go | seen refund begun by others | capture.reported refund.reported operation.unknown
        partly, let go | seen capture failed | capture.failed payment.attention_required
        partly, let go | seen inquiry | capture.reported dispute.opened payment.attention_required
        partly, let go | seen chargeback | capture.reported dispute.opened payment.attention_required dispute.funds_withdrawn
        partly, let go | seen dispute won | capture.reported dispute.opened dispute.closed
        partly, let go | seen dispute lost | capture.reported dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        partly, let go | not seen | -
        partly, all back | prepared | -
        partly, all back | prepare lost | -
        partly, all back | approved | -
        partly, all back | declined | -
        partly, all back | auth lost | -
        partly, all back | auth unsent | -
        partly, all back | auth asks | -
        partly, all back | continued | -
        partly, all back | continue no | -
        partly, all back | continue lost | -
        partly, all back | continue unsent | -
        partly, all back | continue asks | -
        partly, all back | renewed | -
        partly, all back | renewal no | -
        partly, all back | renewal lost | -
        partly, all back | captured | -
        partly, all back | capture lost | -
        partly, all back | capture no | -
        partly, all back | voided | -
        partly, all back | void lost | -
        partly, all back | void no | -
        partly, all back | refunded | -
        partly, all back | refund lost | -
        partly, all back | refund unsent | -
        partly, all back | seen continuable | -
        partly, all back | seen renewed | -
        partly, all back | seen nothing | -
        partly, all back | seen held | -
        partly, all back | seen taken | capture.reported payment.attention_required
        partly, all back | seen declined | -
        partly, all back | seen voided | -
        partly, all back | seen rest voided | -
        partly, all back | seen refund failed | capture.reported payment.attention_required refund.failed payment.attention_required
        partly, all back | seen refund of others | capture.reported payment.attention_required refund.reported payment.attention_required
        partly, all back | seen refund begun by others | capture.reported payment.attention_required refund.reported operation.unknown
        partly, all back | seen capture failed | capture.failed payment.attention_required
        partly, all back | seen inquiry | capture.reported payment.attention_required dispute.opened payment.attention_required
        partly, all back | seen chargeback | capture.reported payment.attention_required dispute.opened payment.attention_required dispute.funds_withdrawn
        partly, all back | seen dispute won | capture.reported payment.attention_required dispute.opened dispute.closed
        partly, all back | seen dispute lost | capture.reported payment.attention_required dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        partly, all back | not seen | -
        captured | prepared | -
        captured | prepare lost | -
        captured | approved | -
        captured | declined | -
        captured | auth lost | -
        captured | auth unsent | -
        captured | auth asks | -
        captured | continued | -
        captured | continue no | -
        captured | continue lost | -
        captured | continue unsent | -
        captured | continue asks | -
        captured | renewed | -
        captured | renewal no | -
        captured | renewal lost | -
        captured | captured | -
        captured | capture lost | -
        captured | capture no | -
        captured | voided | -
        captured | void lost | -
        captured | void no | -
        captured | refunded | -
        captured | refund lost | -
        captured | refund unsent | -
        captured | seen continuable | -
        captured | seen renewed | -
        captured | seen nothing | -
        captured | seen held | -
        captured | seen taken | -
        captured | seen declined | -
        captured | seen voided | -
        captured | seen rest voided | -
        captured | seen refund failed | -
        captured | seen refund of others | refund.reported
        captured | seen refund begun by others | refund.reported operation.unknown
        captured | seen capture failed | capture.failed payment.attention_required
        captured | seen inquiry | dispute.opened payment.attention_required
        captured | seen chargeback | dispute.opened payment.attention_required dispute.funds_withdrawn
        captured | seen dispute won | dispute.opened dispute.closed
        captured | seen dispute lost | dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        captured | not seen | -
        refunding 60 | prepared | -
        refunding 60 | prepare lost | -
        refunding 60 | approved | -
        refunding 60 | declined | -
        refunding 60 | auth lost | -
        refunding 60 | auth unsent | -
        refunding 60 | auth asks | -
        refunding 60 | continued | -
        refunding 60 | continue no | -
        refunding 60 | continue lost | -
        refunding 60 | continue unsent | -
        refunding 60 | continue asks | -
        refunding 60 | renewed | -
        refunding 60 | renewal no | -
        refunding 60 | renewal lost | -
        refunding 60 | captured | -
        refunding 60 | capture lost | -
        refunding 60 | capture no | -
        refunding 60 | voided | -
        refunding 60 | void lost | -
        refunding 60 | void no | -
        refunding 60 | refunded | refund.succeeded
        refunding 60 | refund lost | operation.unknown
        refunding 60 | refund unsent | operation.deferred
        refunding 60 | seen continuable | operation.deferred
        refunding 60 | seen renewed | operation.deferred
        refunding 60 | seen nothing | operation.deferred
        refunding 60 | seen held | operation.deferred
        refunding 60 | seen taken | operation.deferred
        refunding 60 | seen declined | operation.deferred
        refunding 60 | seen voided | operation.deferred
        refunding 60 | seen rest voided | operation.deferred
        refunding 60 | seen refund failed | operation.refused payment.attention_required
        refunding 60 | seen refund of others | operation.deferred refund.reported
        refunding 60 | seen refund begun by others | operation.deferred refund.reported operation.unknown
        refunding 60 | seen capture failed | operation.deferred capture.failed payment.attention_required
        refunding 60 | seen inquiry | operation.deferred dispute.opened payment.attention_required
        refunding 60 | seen chargeback | operation.deferred dispute.opened payment.attention_required dispute.funds_withdrawn
        refunding 60 | seen dispute won | operation.deferred dispute.opened dispute.closed
        refunding 60 | seen dispute lost | operation.deferred dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        refunding 60 | not seen | operation.unknown
        refunded 60 | prepared | -
        refunded 60 | prepare lost | -
        refunded 60 | approved | -
        refunded 60 | declined | -
        refunded 60 | auth lost | -
        refunded 60 | auth unsent | -
        refunded 60 | auth asks | -
        refunded 60 | continued | -
        refunded 60 | continue no | -
        refunded 60 | continue lost | -
        refunded 60 | continue unsent | -
        refunded 60 | continue asks | -
        refunded 60 | renewed | -
        refunded 60 | renewal no | -
        refunded 60 | renewal lost | -
        refunded 60 | captured | -
        refunded 60 | capture lost | -
        refunded 60 | capture no | -
        refunded 60 | voided | -
        refunded 60 | void lost | -
        refunded 60 | void no | -
        refunded 60 | refunded | -
        refunded 60 | refund lost | -
        refunded 60 | refund unsent | -
        refunded 60 | seen continuable | -
        refunded 60 | seen renewed | -
        refunded 60 | seen nothing | -
        refunded 60 | seen held | -
        refunded 60 | seen taken | -
        refunded 60 | seen declined | -
        refunded 60 | seen voided | -
        refunded 60 | seen rest voided | -
        refunded 60 | seen refund failed | refund.failed payment.attention_required
        refunded 60 | seen refund of others | refund.reported payment.attention_required
        refunded 60 | seen refund begun by others | refund.reported operation.unknown
        refunded 60 | seen capture failed | capture.failed payment.attention_required
        refunded 60 | seen inquiry | dispute.opened payment.attention_required
        refunded 60 | seen chargeback | dispute.opened payment.attention_required dispute.funds_withdrawn
        refunded 60 | seen dispute won | dispute.opened dispute.closed
        refunded 60 | seen dispute lost | dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        refunded 60 | not seen | -
        refunded | prepared | -
        refunded | prepare lost | -
        refunded | approved | -
        refunded | declined | -
        refunded | auth lost | -
        refunded | auth unsent | -
        refunded | auth asks | -
        refunded | continued | -
        refunded | continue no | -
        refunded | continue lost | -
        refunded | continue unsent | -
        refunded | continue asks | -
        refunded | renewed | -
        refunded | renewal no | -
        refunded | renewal lost | -
        refunded | captured | -
        refunded | capture lost | -
        refunded | capture no | -
        refunded | voided | -
        refunded | void lost | -
        refunded | void no | -
        refunded | refunded | -
        refunded | refund lost | -
        refunded | refund unsent | -
        refunded | seen continuable | -
        refunded | seen renewed | -
        refunded | seen nothing | -
        refunded | seen held | -
        refunded | seen taken | -
        refunded | seen declined | -
        refunded | seen voided | -
        refunded | seen rest voided | -
        refunded | seen refund failed | refund.failed payment.attention_required
        refunded | seen refund of others | refund.reported payment.attention_required
        refunded | seen refund begun by others | refund.reported operation.unknown
        refunded | seen capture failed | capture.failed payment.attention_required
        refunded | seen inquiry | dispute.opened payment.attention_required
        refunded | seen chargeback | dispute.opened payment.attention_required dispute.funds_withdrawn
        refunded | seen dispute won | dispute.opened dispute.closed
        refunded | seen dispute lost | dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        refunded | not seen | -
        refund refused | prepared | -
        refund refused | prepare lost | -
        refund refused | approved | -
        refund refused | declined | -
        refund refused | auth lost | -
        refund refused | auth unsent | -
        refund refused | auth asks | -
        refund refused | continued | -
        refund refused | continue no | -
        refund refused | continue lost | -
        refund refused | continue unsent | -
        refund refused | continue asks | -
        refund refused | renewed | -
        refund refused | renewal no | -
        refund refused | renewal lost | -
        refund refused | captured | -
        refund refused | capture lost | -
        refund refused | capture no | -
        refund refused | voided | -
        refund refused | void lost | -
        refund refused | void no | -
        refund refused | refunded | -
        refund refused | refund lost | -
        refund refused | refund unsent | -
        refund refused | seen continuable | -
        refund refused | seen renewed | -
        refund refused | seen nothing | -
        refund refused | seen held | -
        refund refused | seen taken | -
        refund refused | seen declined | -
        refund refused | seen voided | -
        refund refused | seen rest voided | -
        refund refused | seen refund failed | -
        refund refused | seen refund of others | refund.reported
        refund refused | seen refund begun by others | refund.reported operation.unknown
        refund refused | seen capture failed | capture.failed payment.attention_required
        refund refused | seen inquiry | dispute.opened payment.attention_required
        refund refused | seen chargeback | dispute.opened payment.attention_required dispute.funds_withdrawn
        refund refused | seen dispute won | dispute.opened dispute.closed
        refund refused | seen dispute lost | dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        refund refused | not seen | -
        canceling | prepared | attempt.prepared
        canceling | prepare lost | attempt.not_sent payment.canceled
        canceling | approved | attempt.authorized void.started
        canceling | declined | attempt.declined payment.canceled
        canceling | auth lost | operation.unknown
        canceling | auth unsent | attempt.not_sent payment.canceled
        canceling | auth asks | attempt.action_required void.started
        canceling | continued | -
        canceling | continue no | -
        canceling | continue lost | -
        canceling | continue unsent | -
        canceling | continue asks | -
        canceling | renewed | -
        canceling | renewal no | -
        canceling | renewal lost | -
        canceling | captured | -
        canceling | capture lost | -
        canceling | capture no | -
        canceling | voided | -
        canceling | void lost | -
        canceling | void no | -
        canceling | refunded | -
        canceling | refund lost | -
        canceling | refund unsent | -
        canceling | seen continuable | void.started
        canceling | seen renewed | attempt.authorized void.started
        canceling | seen nothing | void.started
        canceling | seen held | attempt.authorized void.started
        canceling | seen taken | attempt.authorized refund.started
        canceling | seen declined | attempt.declined payment.canceled
        canceling | seen voided | void.succeeded payment.canceled
        canceling | seen rest voided | void.succeeded payment.canceled
        canceling | seen refund failed | attempt.authorized refund.started
        canceling | seen refund of others | attempt.authorized refund.started
        canceling | seen refund begun by others | attempt.authorized refund.started
        canceling | seen capture failed | attempt.authorized void.started
        canceling | seen inquiry | attempt.authorized refund.started
        canceling | seen chargeback | attempt.authorized refund.started
        canceling | seen dispute won | attempt.authorized refund.started
        canceling | seen dispute lost | attempt.authorized refund.started
        canceling | not seen | operation.unknown
        voiding | prepared | -
        voiding | prepare lost | -
        voiding | approved | -
        voiding | declined | -
        voiding | auth lost | -
        voiding | auth unsent | -
        voiding | auth asks | -
        voiding | continued | -
        voiding | continue no | -
        voiding | continue lost | -
        voiding | continue unsent | -
        voiding | continue asks | -
        voiding | renewed | -
        voiding | renewal no | -
        voiding | renewal lost | -
        voiding | captured | -
        voiding | capture lost | -
        voiding | capture no | -
        voiding | voided | void.succeeded payment.canceled
        voiding | void lost | operation.unknown
        voiding | void no | operation.refused payment.attention_required
        voiding | refunded | -
        voiding | refund lost | -
        voiding | refund unsent | -
        voiding | seen continuable | operation.deferred
        voiding | seen renewed | operation.deferred
        voiding | seen nothing | operation.deferred
        voiding | seen held | operation.deferred
        voiding | seen taken | operation.deferred capture.reported payment.attention_required
        voiding | seen declined | operation.deferred
        voiding | seen voided | void.succeeded payment.canceled
        voiding | seen rest voided | void.succeeded payment.canceled capture.reported payment.attention_required
        voiding | seen refund failed | operation.deferred capture.reported payment.attention_required
        voiding | seen refund of others | operation.deferred capture.reported payment.attention_required refund.reported
        voiding | seen refund begun by others | operation.deferred capture.reported payment.attention_required refund.reported operation.unknown
        voiding | seen capture failed | operation.deferred
        voiding | seen inquiry | operation.deferred capture.reported payment.attention_required dispute.opened payment.attention_required
        voiding | seen chargeback | operation.deferred capture.reported payment.attention_required dispute.opened payment.attention_required dispute.funds_withdrawn
        voiding | seen dispute won | operation.deferred capture.reported payment.attention_required dispute.opened dispute.closed
        voiding | seen dispute lost | operation.deferred capture.reported payment.attention_required dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        voiding | not seen | operation.unknown
        abandoning | prepared | -
        abandoning | prepare lost | -
        abandoning | approved | attempt.authorized
        abandoning | declined | attempt.declined
        abandoning | auth lost | operation.unknown
        abandoning | auth unsent | attempt.not_sent
        abandoning | auth asks | attempt.action_required
        abandoning | continued | -
        abandoning | continue no | -
        abandoning | continue lost | -
        abandoning | continue unsent | -
        abandoning | continue asks | -
        abandoning | renewed | -
        abandoning | renewal no | -
        abandoning | renewal lost | -
        abandoning | captured | -
        abandoning | capture lost | -
        abandoning | capture no | -
        abandoning | voided | void.succeeded
        abandoning | void lost | operation.unknown
        abandoning | void no | operation.refused payment.attention_required
        abandoning | refunded | -
        abandoning | refund lost | -
        abandoning | refund unsent | -
        abandoning | seen continuable | operation.deferred
        abandoning | seen renewed | attempt.authorized
        abandoning | seen nothing | operation.deferred
        abandoning | seen held | attempt.authorized
        abandoning | seen taken | attempt.authorized
        abandoning | seen declined | attempt.declined
        abandoning | seen voided | void.succeeded
        abandoning | seen rest voided | void.succeeded
        abandoning | seen refund failed | attempt.authorized
        abandoning | seen refund of others | attempt.authorized
        abandoning | seen refund begun by others | attempt.authorized
        abandoning | seen capture failed | attempt.authorized
        abandoning | seen inquiry | attempt.authorized
        abandoning | seen chargeback | attempt.authorized
        abandoning | seen dispute won | attempt.authorized
        abandoning | seen dispute lost | attempt.authorized
        abandoning | not seen | operation.unknown
        abandoned | prepared | -
        abandoned | prepare lost | -
        abandoned | approved | attempt.authorized void.started payment.attention_required
        abandoned | declined | -
        abandoned | auth lost | -
        abandoned | auth unsent | -
        abandoned | auth asks | -
        abandoned | continued | attempt.authorized void.started payment.attention_required
        abandoned | continue no | -
        abandoned | continue lost | -
        abandoned | continue unsent | -
        abandoned | continue asks | -
        abandoned | renewed | -
        abandoned | renewal no | -
        abandoned | renewal lost | -
        abandoned | captured | -
        abandoned | capture lost | -
        abandoned | capture no | -
        abandoned | voided | -
        abandoned | void lost | -
        abandoned | void no | -
        abandoned | refunded | -
        abandoned | refund lost | -
        abandoned | refund unsent | -
        abandoned | seen continuable | -
        abandoned | seen renewed | attempt.authorized void.started payment.attention_required
        abandoned | seen nothing | -
        abandoned | seen held | attempt.authorized void.started payment.attention_required
        abandoned | seen taken | attempt.prepared operation.unknown payment.attention_required
        abandoned | seen declined | -
        abandoned | seen voided | -
        abandoned | seen rest voided | -
        abandoned | seen refund failed | attempt.prepared operation.unknown payment.attention_required
        abandoned | seen refund of others | attempt.prepared operation.unknown payment.attention_required
        abandoned | seen refund begun by others | attempt.prepared operation.unknown payment.attention_required
        abandoned | seen capture failed | attempt.authorized void.started payment.attention_required
        abandoned | seen inquiry | attempt.prepared operation.unknown payment.attention_required
        abandoned | seen chargeback | attempt.prepared operation.unknown payment.attention_required
        abandoned | seen dispute won | attempt.prepared operation.unknown payment.attention_required
        abandoned | seen dispute lost | attempt.prepared operation.unknown payment.attention_required
        abandoned | not seen | -
        canceled | prepared | -
        canceled | prepare lost | -
        canceled | approved | -
        canceled | declined | -
        canceled | auth lost | -
        canceled | auth unsent | -
        canceled | auth asks | -
        canceled | continued | -
        canceled | continue no | -
        canceled | continue lost | -
        canceled | continue unsent | -
        canceled | continue asks | -
        canceled | renewed | -
        canceled | renewal no | -
        canceled | renewal lost | -
        canceled | captured | -
        canceled | capture lost | -
        canceled | capture no | -
        canceled | voided | -
        canceled | void lost | -
        canceled | void no | -
        canceled | refunded | -
        canceled | refund lost | -
        canceled | refund unsent | -
        canceled | seen continuable | -
        canceled | seen renewed | -
        canceled | seen nothing | -
        canceled | seen held | -
        canceled | seen taken | capture.reported payment.attention_required
        canceled | seen declined | -
        canceled | seen voided | -
        canceled | seen rest voided | capture.reported payment.attention_required
        canceled | seen refund failed | capture.reported payment.attention_required
        canceled | seen refund of others | capture.reported payment.attention_required refund.reported
        canceled | seen refund begun by others | capture.reported payment.attention_required refund.reported operation.unknown
        canceled | seen capture failed | -
        canceled | seen inquiry | capture.reported payment.attention_required dispute.opened payment.attention_required
        canceled | seen chargeback | capture.reported payment.attention_required dispute.opened payment.attention_required dispute.funds_withdrawn
        canceled | seen dispute won | capture.reported payment.attention_required dispute.opened dispute.closed
        canceled | seen dispute lost | capture.reported payment.attention_required dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        canceled | not seen | -
        expired | prepared | -
        expired | prepare lost | -
        expired | approved | -
        expired | declined | -
        expired | auth lost | -
        expired | auth unsent | -
        expired | auth asks | -
        expired | continued | -
        expired | continue no | -
        expired | continue lost | -
        expired | continue unsent | -
        expired | continue asks | -
        expired | renewed | -
        expired | renewal no | -
        expired | renewal lost | -
        expired | captured | -
        expired | capture lost | -
        expired | capture no | -
        expired | voided | -
        expired | void lost | -
        expired | void no | -
        expired | refunded | -
        expired | refund lost | -
        expired | refund unsent | -
        expired | seen continuable | -
        expired | seen renewed | -
        expired | seen nothing | -
        expired | seen held | -
        expired | seen taken | capture.reported payment.attention_required
        expired | seen declined | -
        expired | seen voided | -
        expired | seen rest voided | capture.reported payment.attention_required
        expired | seen refund failed | capture.reported payment.attention_required
        expired | seen refund of others | capture.reported payment.attention_required refund.reported
        expired | seen refund begun by others | capture.reported payment.attention_required refund.reported operation.unknown
        expired | seen capture failed | -
        expired | seen inquiry | capture.reported payment.attention_required dispute.opened payment.attention_required
        expired | seen chargeback | capture.reported payment.attention_required dispute.opened payment.attention_required dispute.funds_withdrawn
        expired | seen dispute won | capture.reported payment.attention_required dispute.opened dispute.closed
        expired | seen dispute lost | capture.reported payment.attention_required dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        expired | not seen | -
        continuing | prepared | -
        continuing | prepare lost | -
        continuing | approved | attempt.authorized capture.started
        continuing | declined | -
        continuing | auth lost | -
        continuing | auth unsent | -
        continuing | auth asks | -
        continuing | continued | attempt.authorized capture.started
        continuing | continue no | attempt.declined
        continuing | continue lost | operation.unknown
        continuing | continue unsent | operation.deferred
        continuing | continue asks | attempt.action_required
        continuing | renewed | -
        continuing | renewal no | -
        continuing | renewal lost | -
        continuing | captured | -
        continuing | capture lost | -
        continuing | capture no | -
        continuing | voided | -
        continuing | void lost | -
        continuing | void no | -
        continuing | refunded | -
        continuing | refund lost | -
        continuing | refund unsent | -
        continuing | seen continuable | -
        continuing | seen renewed | attempt.authorized capture.started
        continuing | seen nothing | void.started
        continuing | seen held | attempt.authorized capture.started
        continuing | seen taken | attempt.authorized
        continuing | seen declined | attempt.declined
        continuing | seen voided | void.succeeded
        continuing | seen rest voided | void.succeeded
        continuing | seen refund failed | attempt.authorized
        continuing | seen refund of others | attempt.authorized
        continuing | seen refund begun by others | attempt.authorized
        continuing | seen capture failed | attempt.authorized capture.started
        continuing | seen inquiry | attempt.authorized
        continuing | seen chargeback | attempt.authorized
        continuing | seen dispute won | attempt.authorized
        continuing | seen dispute lost | attempt.authorized
        continuing | not seen | operation.unknown
        continuation unknown | prepared | -
        continuation unknown | prepare lost | -
        continuation unknown | approved | attempt.authorized capture.started
        continuation unknown | declined | -
        continuation unknown | auth lost | -
        continuation unknown | auth unsent | -
        continuation unknown | auth asks | -
        continuation unknown | continued | attempt.authorized capture.started
        continuation unknown | continue no | attempt.declined
        continuation unknown | continue lost | operation.unknown
        continuation unknown | continue unsent | operation.deferred
        continuation unknown | continue asks | attempt.action_required
        continuation unknown | renewed | -
        continuation unknown | renewal no | -
        continuation unknown | renewal lost | -
        continuation unknown | captured | -
        continuation unknown | capture lost | -
        continuation unknown | capture no | -
        continuation unknown | voided | -
        continuation unknown | void lost | -
        continuation unknown | void no | -
        continuation unknown | refunded | -
        continuation unknown | refund lost | -
        continuation unknown | refund unsent | -
        continuation unknown | seen continuable | operation.deferred
        continuation unknown | seen renewed | attempt.authorized capture.started
        continuation unknown | seen nothing | void.started
        continuation unknown | seen held | attempt.authorized capture.started
        continuation unknown | seen taken | attempt.authorized
        continuation unknown | seen declined | attempt.declined
        continuation unknown | seen voided | void.succeeded
        continuation unknown | seen rest voided | void.succeeded
        continuation unknown | seen refund failed | attempt.authorized
        continuation unknown | seen refund of others | attempt.authorized
        continuation unknown | seen refund begun by others | attempt.authorized
        continuation unknown | seen capture failed | attempt.authorized capture.started
        continuation unknown | seen inquiry | attempt.authorized
        continuation unknown | seen chargeback | attempt.authorized
        continuation unknown | seen dispute won | attempt.authorized
        continuation unknown | seen dispute lost | attempt.authorized
        continuation unknown | not seen | operation.unknown
        continuing, canceled | prepared | -
        continuing, canceled | prepare lost | -
        continuing, canceled | approved | attempt.authorized void.started
        continuing, canceled | declined | -
        continuing, canceled | auth lost | -
        continuing, canceled | auth unsent | -
        continuing, canceled | auth asks | -
        continuing, canceled | continued | attempt.authorized void.started
        continuing, canceled | continue no | attempt.declined payment.canceled
        continuing, canceled | continue lost | operation.unknown
        continuing, canceled | continue unsent | operation.deferred
        continuing, canceled | continue asks | attempt.action_required void.started
        continuing, canceled | renewed | -
        continuing, canceled | renewal no | -
        continuing, canceled | renewal lost | -
        continuing, canceled | captured | -
        continuing, canceled | capture lost | -
        continuing, canceled | capture no | -
        continuing, canceled | voided | -
        continuing, canceled | void lost | -
        continuing, canceled | void no | -
        continuing, canceled | refunded | -
        continuing, canceled | refund lost | -
        continuing, canceled | refund unsent | -
        continuing, canceled | seen continuable | void.started
        continuing, canceled | seen renewed | attempt.authorized void.started
        continuing, canceled | seen nothing | void.started
        continuing, canceled | seen held | attempt.authorized void.started
        continuing, canceled | seen taken | attempt.authorized refund.started
        continuing, canceled | seen declined | attempt.declined payment.canceled
        continuing, canceled | seen voided | void.succeeded payment.canceled
        continuing, canceled | seen rest voided | void.succeeded payment.canceled
        continuing, canceled | seen refund failed | attempt.authorized refund.started
        continuing, canceled | seen refund of others | attempt.authorized refund.started
        continuing, canceled | seen refund begun by others | attempt.authorized refund.started
        continuing, canceled | seen capture failed | attempt.authorized void.started
        continuing, canceled | seen inquiry | attempt.authorized refund.started
        continuing, canceled | seen chargeback | attempt.authorized refund.started
        continuing, canceled | seen dispute won | attempt.authorized refund.started
        continuing, canceled | seen dispute lost | attempt.authorized refund.started
        continuing, canceled | not seen | operation.unknown
        renewing | prepared | -
        renewing | prepare lost | -
        renewing | approved | -
        renewing | declined | -
        renewing | auth lost | -
        renewing | auth unsent | -
        renewing | auth asks | -
        renewing | continued | -
        renewing | continue no | -
        renewing | continue lost | -
        renewing | continue unsent | -
        renewing | continue asks | -
        renewing | renewed | renewal.succeeded
        renewing | renewal no | operation.refused payment.attention_required
        renewing | renewal lost | operation.unknown
        renewing | captured | -
        renewing | capture lost | -
        renewing | capture no | -
        renewing | voided | -
        renewing | void lost | -
        renewing | void no | -
        renewing | refunded | -
        renewing | refund lost | -
        renewing | refund unsent | -
        renewing | seen continuable | operation.deferred
        renewing | seen renewed | renewal.succeeded
        renewing | seen nothing | operation.deferred
        renewing | seen held | operation.deferred
        renewing | seen taken | operation.deferred capture.reported
        renewing | seen declined | operation.deferred
        renewing | seen voided | attempt.expired operation.refused
        renewing | seen rest voided | attempt.expired operation.refused capture.reported
        renewing | seen refund failed | operation.deferred capture.reported
        renewing | seen refund of others | operation.deferred capture.reported refund.reported
        renewing | seen refund begun by others | operation.deferred capture.reported refund.reported operation.unknown
        renewing | seen capture failed | operation.deferred
        renewing | seen inquiry | operation.deferred capture.reported dispute.opened payment.attention_required
        renewing | seen chargeback | operation.deferred capture.reported dispute.opened payment.attention_required dispute.funds_withdrawn
        renewing | seen dispute won | operation.deferred capture.reported dispute.opened dispute.closed
        renewing | seen dispute lost | operation.deferred capture.reported dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        renewing | not seen | operation.unknown
        renewed | prepared | -
        renewed | prepare lost | -
        renewed | approved | -
        renewed | declined | -
        renewed | auth lost | -
        renewed | auth unsent | -
        renewed | auth asks | -
        renewed | continued | -
        renewed | continue no | -
        renewed | continue lost | -
        renewed | continue unsent | -
        renewed | continue asks | -
        renewed | renewed | -
        renewed | renewal no | -
        renewed | renewal lost | -
        renewed | captured | -
        renewed | capture lost | -
        renewed | capture no | -
        renewed | voided | -
        renewed | void lost | -
        renewed | void no | -
        renewed | refunded | -
        renewed | refund lost | -
        renewed | refund unsent | -
        renewed | seen continuable | -
        renewed | seen renewed | -
        renewed | seen nothing | -
        renewed | seen held | -
        renewed | seen taken | capture.reported
        renewed | seen declined | -
        renewed | seen voided | attempt.expired
        renewed | seen rest voided | attempt.expired capture.reported
        renewed | seen refund failed | capture.reported
        renewed | seen refund of others | capture.reported refund.reported
        renewed | seen refund begun by others | capture.reported refund.reported operation.unknown
        renewed | seen capture failed | -
        renewed | seen inquiry | capture.reported dispute.opened payment.attention_required
        renewed | seen chargeback | capture.reported dispute.opened payment.attention_required dispute.funds_withdrawn
        renewed | seen dispute won | capture.reported dispute.opened dispute.closed
        renewed | seen dispute lost | capture.reported dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        renewed | not seen | -
        refund failed later | prepared | -
        refund failed later | prepare lost | -
        refund failed later | approved | -
        refund failed later | declined | -
        refund failed later | auth lost | -
        refund failed later | auth unsent | -
        refund failed later | auth asks | -
        refund failed later | continued | -
        refund failed later | continue no | -
        refund failed later | continue lost | -
        refund failed later | continue unsent | -
        refund failed later | continue asks | -
        refund failed later | renewed | -
        refund failed later | renewal no | -
        refund failed later | renewal lost | -
        refund failed later | captured | -
        refund failed later | capture lost | -
        refund failed later | capture no | -
        refund failed later | voided | -
        refund failed later | void lost | -
        refund failed later | void no | -
        refund failed later | refunded | -
        refund failed later | refund lost | -
        refund failed later | refund unsent | -
        refund failed later | seen continuable | -
        refund failed later | seen renewed | -
        refund failed later | seen nothing | -
        refund failed later | seen held | -
        refund failed later | seen taken | -
        refund failed later | seen declined | -
        refund failed later | seen voided | -
        refund failed later | seen rest voided | -
        refund failed later | seen refund failed | -
        refund failed later | seen refund of others | refund.reported
        refund failed later | seen refund begun by others | refund.reported operation.unknown
        refund failed later | seen capture failed | capture.failed payment.attention_required
        refund failed later | seen inquiry | dispute.opened payment.attention_required
        refund failed later | seen chargeback | dispute.opened payment.attention_required dispute.funds_withdrawn
        refund failed later | seen dispute won | dispute.opened dispute.closed
        refund failed later | seen dispute lost | dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        refund failed later | not seen | -
        capture failed later | prepared | -
        capture failed later | prepare lost | -
        capture failed later | approved | -
        capture failed later | declined | -
        capture failed later | auth lost | -
        capture failed later | auth unsent | -
        capture failed later | auth asks | -
        capture failed later | continued | -
        capture failed later | continue no | -
        capture failed later | continue lost | -
        capture failed later | continue unsent | -
        capture failed later | continue asks | -
        capture failed later | renewed | -
        capture failed later | renewal no | -
        capture failed later | renewal lost | -
        capture failed later | captured | -
        capture failed later | capture lost | -
        capture failed later | capture no | -
        capture failed later | voided | -
        capture failed later | void lost | -
        capture failed later | void no | -
        capture failed later | refunded | -
        capture failed later | refund lost | -
        capture failed later | refund unsent | -
        capture failed later | seen continuable | -
        capture failed later | seen renewed | -
        capture failed later | seen nothing | -
        capture failed later | seen held | -
        capture failed later | seen taken | capture.restored
        capture failed later | seen declined | attempt.expired
        capture failed later | seen voided | attempt.expired
        capture failed later | seen rest voided | attempt.expired capture.reported
        capture failed later | seen refund failed | capture.restored
        capture failed later | seen refund of others | capture.restored refund.reported
        capture failed later | seen refund begun by others | capture.restored refund.reported operation.unknown
        capture failed later | seen capture failed | -
        capture failed later | seen inquiry | capture.restored dispute.opened payment.attention_required
        capture failed later | seen chargeback | capture.restored dispute.opened payment.attention_required dispute.funds_withdrawn
        capture failed later | seen dispute won | capture.restored dispute.opened dispute.closed
        capture failed later | seen dispute lost | capture.restored dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        capture failed later | not seen | -
        disputed | prepared | -
        disputed | prepare lost | -
        disputed | approved | -
        disputed | declined | -
        disputed | auth lost | -
        disputed | auth unsent | -
        disputed | auth asks | -
        disputed | continued | -
        disputed | continue no | -
        disputed | continue lost | -
        disputed | continue unsent | -
        disputed | continue asks | -
        disputed | renewed | -
        disputed | renewal no | -
        disputed | renewal lost | -
        disputed | captured | -
        disputed | capture lost | -
        disputed | capture no | -
        disputed | voided | -
        disputed | void lost | -
        disputed | void no | -
        disputed | refunded | -
        disputed | refund lost | -
        disputed | refund unsent | -
        disputed | seen continuable | -
        disputed | seen renewed | -
        disputed | seen nothing | -
        disputed | seen held | -
        disputed | seen taken | -
        disputed | seen declined | -
        disputed | seen voided | -
        disputed | seen rest voided | -
        disputed | seen refund failed | -
        disputed | seen refund of others | refund.reported
        disputed | seen refund begun by others | refund.reported operation.unknown
        disputed | seen capture failed | capture.failed payment.attention_required
        disputed | seen inquiry | dispute.funds_reinstated
        disputed | seen chargeback | -
        disputed | seen dispute won | dispute.funds_reinstated dispute.closed
        disputed | seen dispute lost | dispute.closed payment.attention_required
        disputed | not seen | -
        dispute won | prepared | -
        dispute won | prepare lost | -
        dispute won | approved | -
        dispute won | declined | -
        dispute won | auth lost | -
        dispute won | auth unsent | -
        dispute won | auth asks | -
        dispute won | continued | -
        dispute won | continue no | -
        dispute won | continue lost | -
        dispute won | continue unsent | -
        dispute won | continue asks | -
        dispute won | renewed | -
        dispute won | renewal no | -
        dispute won | renewal lost | -
        dispute won | captured | -
        dispute won | capture lost | -
        dispute won | capture no | -
        dispute won | voided | -
        dispute won | void lost | -
        dispute won | void no | -
        dispute won | refunded | -
        dispute won | refund lost | -
        dispute won | refund unsent | -
        dispute won | seen continuable | -
        dispute won | seen renewed | -
        dispute won | seen nothing | -
        dispute won | seen held | -
        dispute won | seen taken | -
        dispute won | seen declined | -
        dispute won | seen voided | -
        dispute won | seen rest voided | -
        dispute won | seen refund failed | -
        dispute won | seen refund of others | refund.reported
        dispute won | seen refund begun by others | refund.reported operation.unknown
        dispute won | seen capture failed | capture.failed payment.attention_required
        dispute won | seen inquiry | dispute.updated payment.attention_required
        dispute won | seen chargeback | dispute.updated payment.attention_required dispute.funds_withdrawn
        dispute won | seen dispute won | -
        dispute won | seen dispute lost | dispute.funds_withdrawn dispute.closed payment.attention_required
        dispute won | not seen | -
        captured by others | prepared | -
        captured by others | prepare lost | -
        captured by others | approved | -
        captured by others | declined | -
        captured by others | auth lost | -
        captured by others | auth unsent | -
        captured by others | auth asks | -
        captured by others | continued | -
        captured by others | continue no | -
        captured by others | continue lost | -
        captured by others | continue unsent | -
        captured by others | continue asks | -
        captured by others | renewed | -
        captured by others | renewal no | -
        captured by others | renewal lost | -
        captured by others | captured | -
        captured by others | capture lost | -
        captured by others | capture no | -
        captured by others | voided | -
        captured by others | void lost | -
        captured by others | void no | -
        captured by others | refunded | -
        captured by others | refund lost | -
        captured by others | refund unsent | -
        captured by others | seen continuable | -
        captured by others | seen renewed | -
        captured by others | seen nothing | -
        captured by others | seen held | -
        captured by others | seen taken | -
        captured by others | seen declined | -
        captured by others | seen voided | -
        captured by others | seen rest voided | -
        captured by others | seen refund failed | -
        captured by others | seen refund of others | refund.reported
        captured by others | seen refund begun by others | refund.reported operation.unknown
        captured by others | seen capture failed | capture.failed payment.attention_required
        captured by others | seen inquiry | dispute.opened payment.attention_required
        captured by others | seen chargeback | dispute.opened payment.attention_required dispute.funds_withdrawn
        captured by others | seen dispute won | dispute.opened dispute.closed
        captured by others | seen dispute lost | dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        captured by others | not seen | -
        refunded by others | prepared | -
        refunded by others | prepare lost | -
        refunded by others | approved | -
        refunded by others | declined | -
        refunded by others | auth lost | -
        refunded by others | auth unsent | -
        refunded by others | auth asks | -
        refunded by others | continued | -
        refunded by others | continue no | -
        refunded by others | continue lost | -
        refunded by others | continue unsent | -
        refunded by others | continue asks | -
        refunded by others | renewed | -
        refunded by others | renewal no | -
        refunded by others | renewal lost | -
        refunded by others | captured | -
        refunded by others | capture lost | -
        refunded by others | capture no | -
        refunded by others | voided | -
        refunded by others | void lost | -
        refunded by others | void no | -
        refunded by others | refunded | -
        refunded by others | refund lost | -
        refunded by others | refund unsent | -
        refunded by others | seen continuable | -
        refunded by others | seen renewed | -
        refunded by others | seen nothing | -
        refunded by others | seen held | -
        refunded by others | seen taken | -
        refunded by others | seen declined | -
        refunded by others | seen voided | -
        refunded by others | seen rest voided | -
        refunded by others | seen refund failed | -
        refunded by others | seen refund of others | -
        refunded by others | seen refund begun by others | -
        refunded by others | seen capture failed | capture.failed payment.attention_required
        refunded by others | seen inquiry | dispute.opened payment.attention_required
        refunded by others | seen chargeback | dispute.opened payment.attention_required dispute.funds_withdrawn
        refunded by others | seen dispute won | dispute.opened dispute.closed
        refunded by others | seen dispute lost | dispute.opened dispute.funds_withdrawn dispute.closed payment.attention_required
        refunded by others | not seen | -
        """
}
