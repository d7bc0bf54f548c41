/// State | command or answer | events, `-` for none, or `!` and the code of the refusal.
enum PaymentTable {
    static let commands = """
        created | attempt | attempt.started
        created | capture | ! nothing_to_capture
        created | capture 40 | ! nothing_to_capture
        created | capture 101 | ! nothing_to_capture
        created | cancel | payment.cancel_requested payment.canceled
        created | refund | ! nothing_to_refund
        created | refund 60 | ! nothing_to_refund
        created | refund -1 | ! nothing_to_refund
        created | refund 1 USD | ! nothing_to_refund
        in flight | attempt | ! payment_in_progress
        in flight | capture | ! payment_in_progress
        in flight | capture 40 | ! payment_in_progress
        in flight | capture 101 | ! payment_in_progress
        in flight | cancel | payment.cancel_requested
        in flight | refund | ! nothing_to_refund
        in flight | refund 60 | ! nothing_to_refund
        in flight | refund -1 | ! nothing_to_refund
        in flight | refund 1 USD | ! nothing_to_refund
        challenge | attempt | ! payment_in_progress
        challenge | capture | ! payment_in_progress
        challenge | capture 40 | ! payment_in_progress
        challenge | capture 101 | ! payment_in_progress
        challenge | cancel | payment.cancel_requested void.started
        challenge | refund | ! nothing_to_refund
        challenge | refund 60 | ! nothing_to_refund
        challenge | refund -1 | ! nothing_to_refund
        challenge | refund 1 USD | ! nothing_to_refund
        unknown | attempt | ! payment_in_progress
        unknown | capture | ! payment_in_progress
        unknown | capture 40 | ! payment_in_progress
        unknown | capture 101 | ! payment_in_progress
        unknown | cancel | payment.cancel_requested
        unknown | refund | ! nothing_to_refund
        unknown | refund 60 | ! nothing_to_refund
        unknown | refund -1 | ! nothing_to_refund
        unknown | refund 1 USD | ! nothing_to_refund
        declined | attempt | attempt.started
        declined | capture | ! nothing_to_capture
        declined | capture 40 | ! nothing_to_capture
        declined | capture 101 | ! nothing_to_capture
        declined | cancel | payment.cancel_requested payment.canceled
        declined | refund | ! nothing_to_refund
        declined | refund 60 | ! nothing_to_refund
        declined | refund -1 | ! nothing_to_refund
        declined | refund 1 USD | ! nothing_to_refund
        not sent | attempt | attempt.started
        not sent | capture | ! nothing_to_capture
        not sent | capture 40 | ! nothing_to_capture
        not sent | capture 101 | ! nothing_to_capture
        not sent | cancel | payment.cancel_requested payment.canceled
        not sent | refund | ! nothing_to_refund
        not sent | refund 60 | ! nothing_to_refund
        not sent | refund -1 | ! nothing_to_refund
        not sent | refund 1 USD | ! nothing_to_refund
        held | attempt | ! order_already_paid
        held | capture | capture.started
        held | capture 40 | capture.started
        held | capture 101 | ! capture_exceeds_authorization
        held | cancel | payment.cancel_requested void.started
        held | refund | ! nothing_to_refund
        held | refund 60 | ! nothing_to_refund
        held | refund -1 | ! nothing_to_refund
        held | refund 1 USD | ! nothing_to_refund
        capturing | attempt | ! payment_in_progress
        capturing | capture | ! operation_in_progress
        capturing | capture 40 | ! operation_in_progress
        capturing | capture 101 | ! operation_in_progress
        capturing | cancel | ! operation_in_progress
        capturing | refund | ! nothing_to_refund
        capturing | refund 60 | ! nothing_to_refund
        capturing | refund -1 | ! nothing_to_refund
        capturing | refund 1 USD | ! nothing_to_refund
        capture unknown | attempt | ! payment_in_progress
        capture unknown | capture | ! operation_in_progress
        capture unknown | capture 40 | ! operation_in_progress
        capture unknown | capture 101 | ! operation_in_progress
        capture unknown | cancel | ! operation_in_progress
        capture unknown | refund | ! nothing_to_refund
        capture unknown | refund 60 | ! nothing_to_refund
        capture unknown | refund -1 | ! nothing_to_refund
        capture unknown | refund 1 USD | ! nothing_to_refund
        partly captured | attempt | ! order_already_paid
        partly captured | capture | capture.started
        partly captured | capture 40 | capture.started
        partly captured | capture 101 | ! capture_exceeds_authorization
        partly captured | cancel | ! captured_already
        partly captured | refund | refund.started
        partly captured | refund 60 | ! refund_exceeds_captured
        partly captured | refund -1 | ! invalid_amount
        partly captured | refund 1 USD | ! invalid_amount
        partly, all back | attempt | ! payment_closed
        partly, all back | capture | ! payment_closed
        partly, all back | capture 40 | ! payment_closed
        partly, all back | capture 101 | ! payment_closed
        partly, all back | cancel | ! captured_already
        partly, all back | refund | ! nothing_to_refund
        partly, all back | refund 60 | ! nothing_to_refund
        partly, all back | refund -1 | ! nothing_to_refund
        partly, all back | refund 1 USD | ! nothing_to_refund
        captured | attempt | ! order_already_paid
        captured | capture | ! nothing_to_capture
        captured | capture 40 | ! nothing_to_capture
        captured | capture 101 | ! nothing_to_capture
        captured | cancel | ! captured_already
        captured | refund | refund.started
        captured | refund 60 | refund.started
        captured | refund -1 | ! invalid_amount
        captured | refund 1 USD | ! invalid_amount
        refunding 60 | attempt | ! order_already_paid
        refunding 60 | capture | ! nothing_to_capture
        refunding 60 | capture 40 | ! nothing_to_capture
        refunding 60 | capture 101 | ! nothing_to_capture
        refunding 60 | cancel | ! captured_already
        refunding 60 | refund | refund.started
        refunding 60 | refund 60 | ! refund_exceeds_captured
        refunding 60 | refund -1 | ! invalid_amount
        refunding 60 | refund 1 USD | ! invalid_amount
        refunded 60 | attempt | ! order_already_paid
        refunded 60 | capture | ! nothing_to_capture
        refunded 60 | capture 40 | ! nothing_to_capture
        refunded 60 | capture 101 | ! nothing_to_capture
        refunded 60 | cancel | ! captured_already
        refunded 60 | refund | refund.started
        refunded 60 | refund 60 | ! refund_exceeds_captured
        refunded 60 | refund -1 | ! invalid_amount
        refunded 60 | refund 1 USD | ! invalid_amount
        refunded | attempt | ! payment_closed
        refunded | capture | ! payment_closed
        refunded | capture 40 | ! payment_closed
        refunded | capture 101 | ! payment_closed
        refunded | cancel | ! captured_already
        refunded | refund | ! nothing_to_refund
        refunded | refund 60 | ! nothing_to_refund
        refunded | refund -1 | ! nothing_to_refund
        refunded | refund 1 USD | ! nothing_to_refund
        refund refused | attempt | ! order_already_paid
        refund refused | capture | ! nothing_to_capture
        refund refused | capture 40 | ! nothing_to_capture
        refund refused | capture 101 | ! nothing_to_capture
        refund refused | cancel | ! captured_already
        refund refused | refund | refund.started
        refund refused | refund 60 | refund.started
        refund refused | refund -1 | ! invalid_amount
        refund refused | refund 1 USD | ! invalid_amount
        canceling | attempt | ! payment_in_progress
        canceling | capture | ! payment_in_progress
        canceling | capture 40 | ! payment_in_progress
        canceling | capture 101 | ! payment_in_progress
        canceling | cancel | ! operation_in_progress
        canceling | refund | ! nothing_to_refund
        canceling | refund 60 | ! nothing_to_refund
        canceling | refund -1 | ! nothing_to_refund
        canceling | refund 1 USD | ! nothing_to_refund
        voiding | attempt | ! order_already_paid
        voiding | capture | ! operation_in_progress
        voiding | capture 40 | ! operation_in_progress
        voiding | capture 101 | ! operation_in_progress
        voiding | cancel | ! operation_in_progress
        voiding | refund | ! nothing_to_refund
        voiding | refund 60 | ! nothing_to_refund
        voiding | refund -1 | ! nothing_to_refund
        voiding | refund 1 USD | ! nothing_to_refund
        abandoning | attempt | ! payment_in_progress
        abandoning | capture | ! payment_in_progress
        abandoning | capture 40 | ! payment_in_progress
        abandoning | capture 101 | ! payment_in_progress
        abandoning | cancel | payment.cancel_requested
        abandoning | refund | ! nothing_to_refund
        abandoning | refund 60 | ! nothing_to_refund
        abandoning | refund -1 | ! nothing_to_refund
        abandoning | refund 1 USD | ! nothing_to_refund
        abandoned | attempt | attempt.started
        abandoned | capture | ! nothing_to_capture
        abandoned | capture 40 | ! nothing_to_capture
        abandoned | capture 101 | ! nothing_to_capture
        abandoned | cancel | payment.cancel_requested payment.canceled
        abandoned | refund | ! nothing_to_refund
        abandoned | refund 60 | ! nothing_to_refund
        abandoned | refund -1 | ! nothing_to_refund
        abandoned | refund 1 USD | ! nothing_to_refund
        canceled | attempt | ! payment_closed
        canceled | capture | ! nothing_to_capture
        canceled | capture 40 | ! nothing_to_capture
        canceled | capture 101 | ! nothing_to_capture
        canceled | cancel | ! payment_closed
        canceled | refund | ! nothing_to_refund
        canceled | refund 60 | ! nothing_to_refund
        canceled | refund -1 | ! nothing_to_refund
        canceled | refund 1 USD | ! nothing_to_refund
        expired | attempt | ! payment_closed
        expired | capture | ! nothing_to_capture
        expired | capture 40 | ! nothing_to_capture
        expired | capture 101 | ! nothing_to_capture
        expired | cancel | payment.cancel_requested payment.canceled
        expired | refund | ! nothing_to_refund
        expired | refund 60 | ! nothing_to_refund
        expired | refund -1 | ! nothing_to_refund
        expired | refund 1 USD | ! nothing_to_refund
        """

    static let answers = """
        created | prepared | -
        created | prepare lost | -
        created | approved | -
        created | declined | -
        created | auth lost | -
        created | auth unsent | -
        created | captured | -
        created | capture lost | -
        created | capture no | -
        created | voided | -
        created | void lost | -
        created | void no | -
        created | refunded | -
        created | refund lost | -
        created | refund unsent | -
        created | seen nothing | -
        created | seen held | -
        created | seen taken | -
        created | seen declined | -
        created | seen voided | -
        created | not seen | -
        in flight | prepared | attempt.prepared
        in flight | prepare lost | attempt.not_sent
        in flight | approved | attempt.authorized capture.started
        in flight | declined | attempt.declined
        in flight | auth lost | operation.unknown
        in flight | auth unsent | attempt.not_sent
        in flight | captured | -
        in flight | capture lost | -
        in flight | capture no | -
        in flight | voided | -
        in flight | void lost | -
        in flight | void no | -
        in flight | refunded | -
        in flight | refund lost | -
        in flight | refund unsent | -
        in flight | seen nothing | void.started
        in flight | seen held | attempt.authorized capture.started
        in flight | seen taken | attempt.authorized
        in flight | seen declined | attempt.declined
        in flight | seen voided | void.succeeded
        in flight | not seen | operation.unknown
        challenge | prepared | -
        challenge | prepare lost | -
        challenge | approved | attempt.authorized capture.started
        challenge | declined | attempt.declined
        challenge | auth lost | operation.unknown
        challenge | auth unsent | attempt.not_sent
        challenge | captured | -
        challenge | capture lost | -
        challenge | capture no | -
        challenge | voided | -
        challenge | void lost | -
        challenge | void no | -
        challenge | refunded | -
        challenge | refund lost | -
        challenge | refund unsent | -
        challenge | seen nothing | void.started
        challenge | seen held | attempt.authorized capture.started
        challenge | seen taken | attempt.authorized
        challenge | seen declined | attempt.declined
        challenge | seen voided | void.succeeded
        challenge | not seen | operation.unknown
        unknown | prepared | -
        unknown | prepare lost | -
        unknown | approved | attempt.authorized capture.started
        unknown | declined | attempt.declined
        unknown | auth lost | operation.unknown
        unknown | auth unsent | attempt.not_sent
        unknown | captured | -
        unknown | capture lost | -
        unknown | capture no | -
        unknown | voided | -
        unknown | void lost | -
        unknown | void no | -
        unknown | refunded | -
        unknown | refund lost | -
        unknown | refund unsent | -
        unknown | seen nothing | void.started
        unknown | seen held | attempt.authorized capture.started
        unknown | seen taken | attempt.authorized
        unknown | seen declined | attempt.declined
        unknown | seen voided | void.succeeded
        unknown | not seen | operation.unknown
        declined | prepared | -
        declined | prepare lost | -
        declined | approved | -
        declined | declined | -
        declined | auth lost | -
        declined | auth unsent | -
        declined | captured | -
        declined | capture lost | -
        declined | capture no | -
        declined | voided | -
        declined | void lost | -
        declined | void no | -
        declined | refunded | -
        declined | refund lost | -
        declined | refund unsent | -
        declined | seen nothing | -
        declined | seen held | -
        declined | seen taken | -
        declined | seen declined | -
        declined | seen voided | -
        declined | not seen | -
        not sent | prepared | -
        not sent | prepare lost | -
        not sent | approved | -
        not sent | declined | -
        not sent | auth lost | -
        not sent | auth unsent | -
        not sent | captured | -
        not sent | capture lost | -
        not sent | capture no | -
        not sent | voided | -
        not sent | void lost | -
        not sent | void no | -
        not sent | refunded | -
        not sent | refund lost | -
        not sent | refund unsent | -
        not sent | seen nothing | -
        not sent | seen held | -
        not sent | seen taken | -
        not sent | seen declined | -
        not sent | seen voided | -
        not sent | not seen | -
        held | prepared | -
        held | prepare lost | -
        held | approved | -
        held | declined | -
        held | auth lost | -
        held | auth unsent | -
        held | captured | -
        held | capture lost | -
        held | capture no | -
        held | voided | -
        held | void lost | -
        held | void no | -
        held | refunded | -
        held | refund lost | -
        held | refund unsent | -
        held | seen nothing | -
        held | seen held | -
        held | seen taken | -
        held | seen declined | -
        held | seen voided | attempt.expired
        held | not seen | -
        capturing | prepared | -
        capturing | prepare lost | -
        capturing | approved | -
        capturing | declined | -
        capturing | auth lost | -
        capturing | auth unsent | -
        capturing | captured | capture.succeeded
        capturing | capture lost | operation.unknown
        capturing | capture no | operation.refused payment.attention_required
        capturing | voided | -
        capturing | void lost | -
        capturing | void no | -
        capturing | refunded | -
        capturing | refund lost | -
        capturing | refund unsent | -
        capturing | seen nothing | operation.deferred
        capturing | seen held | operation.deferred
        capturing | seen taken | capture.succeeded
        capturing | seen declined | operation.deferred
        capturing | seen voided | operation.refused attempt.expired
        capturing | not seen | operation.unknown
        capture unknown | prepared | -
        capture unknown | prepare lost | -
        capture unknown | approved | -
        capture unknown | declined | -
        capture unknown | auth lost | -
        capture unknown | auth unsent | -
        capture unknown | captured | capture.succeeded
        capture unknown | capture lost | operation.unknown
        capture unknown | capture no | operation.refused payment.attention_required
        capture unknown | voided | -
        capture unknown | void lost | -
        capture unknown | void no | -
        capture unknown | refunded | -
        capture unknown | refund lost | -
        capture unknown | refund unsent | -
        capture unknown | seen nothing | operation.deferred
        capture unknown | seen held | operation.deferred
        capture unknown | seen taken | capture.succeeded
        capture unknown | seen declined | operation.deferred
        capture unknown | seen voided | operation.refused attempt.expired
        capture unknown | not seen | operation.unknown
        partly captured | prepared | -
        partly captured | prepare lost | -
        partly captured | approved | -
        partly captured | declined | -
        partly captured | auth lost | -
        partly captured | auth unsent | -
        partly captured | captured | -
        partly captured | capture lost | -
        partly captured | capture no | -
        partly captured | voided | -
        partly captured | void lost | -
        partly captured | void no | -
        partly captured | refunded | -
        partly captured | refund lost | -
        partly captured | refund unsent | -
        partly captured | seen nothing | -
        partly captured | seen held | -
        partly captured | seen taken | -
        partly captured | seen declined | -
        partly captured | seen voided | -
        partly captured | not seen | -
        partly, all back | prepared | -
        partly, all back | prepare lost | -
        partly, all back | approved | -
        partly, all back | declined | -
        partly, all back | auth lost | -
        partly, all back | auth unsent | -
        partly, all back | captured | -
        partly, all back | capture lost | -
        partly, all back | capture no | -
        partly, all back | voided | -
        partly, all back | void lost | -
        partly, all back | void no | -
        partly, all back | refunded | -
        partly, all back | refund lost | -
        partly, all back | refund unsent | -
        partly, all back | seen nothing | -
        partly, all back | seen held | -
        partly, all back | seen taken | -
        partly, all back | seen declined | -
        partly, all back | seen voided | -
        partly, all back | not seen | -
        captured | prepared | -
        captured | prepare lost | -
        captured | approved | -
        captured | declined | -
        captured | auth lost | -
        captured | auth unsent | -
        captured | captured | -
        captured | capture lost | -
        captured | capture no | -
        captured | voided | -
        captured | void lost | -
        captured | void no | -
        captured | refunded | -
        captured | refund lost | -
        captured | refund unsent | -
        captured | seen nothing | -
        captured | seen held | -
        captured | seen taken | -
        captured | seen declined | -
        captured | seen voided | -
        captured | not seen | -
        refunding 60 | prepared | -
        refunding 60 | prepare lost | -
        refunding 60 | approved | -
        refunding 60 | declined | -
        refunding 60 | auth lost | -
        refunding 60 | auth unsent | -
        refunding 60 | captured | -
        refunding 60 | capture lost | -
        refunding 60 | capture no | -
        refunding 60 | voided | -
        refunding 60 | void lost | -
        refunding 60 | void no | -
        refunding 60 | refunded | refund.succeeded
        refunding 60 | refund lost | operation.unknown
        refunding 60 | refund unsent | operation.deferred
        refunding 60 | seen nothing | operation.deferred
        refunding 60 | seen held | operation.deferred
        refunding 60 | seen taken | operation.deferred
        refunding 60 | seen declined | operation.deferred
        refunding 60 | seen voided | operation.deferred
        refunding 60 | not seen | operation.unknown
        refunded 60 | prepared | -
        refunded 60 | prepare lost | -
        refunded 60 | approved | -
        refunded 60 | declined | -
        refunded 60 | auth lost | -
        refunded 60 | auth unsent | -
        refunded 60 | captured | -
        refunded 60 | capture lost | -
        refunded 60 | capture no | -
        refunded 60 | voided | -
        refunded 60 | void lost | -
        refunded 60 | void no | -
        refunded 60 | refunded | -
        refunded 60 | refund lost | -
        refunded 60 | refund unsent | -
        refunded 60 | seen nothing | -
        refunded 60 | seen held | -
        refunded 60 | seen taken | -
        refunded 60 | seen declined | -
        refunded 60 | seen voided | -
        refunded 60 | not seen | -
        refunded | prepared | -
        refunded | prepare lost | -
        refunded | approved | -
        refunded | declined | -
        refunded | auth lost | -
        refunded | auth unsent | -
        refunded | captured | -
        refunded | capture lost | -
        refunded | capture no | -
        refunded | voided | -
        refunded | void lost | -
        refunded | void no | -
        refunded | refunded | -
        refunded | refund lost | -
        refunded | refund unsent | -
        refunded | seen nothing | -
        refunded | seen held | -
        refunded | seen taken | -
        refunded | seen declined | -
        refunded | seen voided | -
        refunded | not seen | -
        refund refused | prepared | -
        refund refused | prepare lost | -
        refund refused | approved | -
        refund refused | declined | -
        refund refused | auth lost | -
        refund refused | auth unsent | -
        refund refused | captured | -
        refund refused | capture lost | -
        refund refused | capture no | -
        refund refused | voided | -
        refund refused | void lost | -
        refund refused | void no | -
        refund refused | refunded | -
        refund refused | refund lost | -
        refund refused | refund unsent | -
        refund refused | seen nothing | -
        refund refused | seen held | -
        refund refused | seen taken | -
        refund refused | seen declined | -
        refund refused | seen voided | -
        refund refused | not seen | -
        canceling | prepared | attempt.prepared
        canceling | prepare lost | attempt.not_sent payment.canceled
        canceling | approved | attempt.authorized void.started
        canceling | declined | attempt.declined payment.canceled
        canceling | auth lost | operation.unknown
        canceling | auth unsent | attempt.not_sent payment.canceled
        canceling | captured | -
        canceling | capture lost | -
        canceling | capture no | -
        canceling | voided | -
        canceling | void lost | -
        canceling | void no | -
        canceling | refunded | -
        canceling | refund lost | -
        canceling | refund unsent | -
        canceling | seen nothing | void.started
        canceling | seen held | attempt.authorized void.started
        canceling | seen taken | attempt.authorized refund.started
        canceling | seen declined | attempt.declined payment.canceled
        canceling | seen voided | void.succeeded payment.canceled
        canceling | not seen | operation.unknown
        voiding | prepared | -
        voiding | prepare lost | -
        voiding | approved | -
        voiding | declined | -
        voiding | auth lost | -
        voiding | auth unsent | -
        voiding | captured | -
        voiding | capture lost | -
        voiding | capture no | -
        voiding | voided | void.succeeded payment.canceled
        voiding | void lost | operation.unknown
        voiding | void no | operation.refused payment.attention_required
        voiding | refunded | -
        voiding | refund lost | -
        voiding | refund unsent | -
        voiding | seen nothing | operation.deferred
        voiding | seen held | operation.deferred
        voiding | seen taken | operation.deferred
        voiding | seen declined | operation.deferred
        voiding | seen voided | void.succeeded payment.canceled
        voiding | not seen | operation.unknown
        abandoning | prepared | -
        abandoning | prepare lost | -
        abandoning | approved | attempt.authorized
        abandoning | declined | attempt.declined
        abandoning | auth lost | operation.unknown
        abandoning | auth unsent | attempt.not_sent
        abandoning | captured | -
        abandoning | capture lost | -
        abandoning | capture no | -
        abandoning | voided | void.succeeded
        abandoning | void lost | operation.unknown
        abandoning | void no | operation.refused payment.attention_required
        abandoning | refunded | -
        abandoning | refund lost | -
        abandoning | refund unsent | -
        abandoning | seen nothing | operation.deferred
        abandoning | seen held | attempt.authorized
        abandoning | seen taken | attempt.authorized
        abandoning | seen declined | attempt.declined
        abandoning | seen voided | void.succeeded
        abandoning | not seen | operation.unknown
        abandoned | prepared | -
        abandoned | prepare lost | -
        abandoned | approved | -
        abandoned | declined | -
        abandoned | auth lost | -
        abandoned | auth unsent | -
        abandoned | captured | -
        abandoned | capture lost | -
        abandoned | capture no | -
        abandoned | voided | -
        abandoned | void lost | -
        abandoned | void no | -
        abandoned | refunded | -
        abandoned | refund lost | -
        abandoned | refund unsent | -
        abandoned | seen nothing | -
        abandoned | seen held | -
        abandoned | seen taken | -
        abandoned | seen declined | -
        abandoned | seen voided | -
        abandoned | not seen | -
        canceled | prepared | -
        canceled | prepare lost | -
        canceled | approved | -
        canceled | declined | -
        canceled | auth lost | -
        canceled | auth unsent | -
        canceled | captured | -
        canceled | capture lost | -
        canceled | capture no | -
        canceled | voided | -
        canceled | void lost | -
        canceled | void no | -
        canceled | refunded | -
        canceled | refund lost | -
        canceled | refund unsent | -
        canceled | seen nothing | -
        canceled | seen held | -
        canceled | seen taken | -
        canceled | seen declined | -
        canceled | seen voided | -
        canceled | not seen | -
        expired | prepared | -
        expired | prepare lost | -
        expired | approved | -
        expired | declined | -
        expired | auth lost | -
        expired | auth unsent | -
        expired | captured | -
        expired | capture lost | -
        expired | capture no | -
        expired | voided | -
        expired | void lost | -
        expired | void no | -
        expired | refunded | -
        expired | refund lost | -
        expired | refund unsent | -
        expired | seen nothing | -
        expired | seen held | -
        expired | seen taken | -
        expired | seen declined | -
        expired | seen voided | -
        expired | not seen | -
        """
}
