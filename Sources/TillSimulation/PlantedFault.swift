/// A defect put in on purpose around the engine, to prove that the simulation would see it.
public enum PlantedFault: String, CaseIterable, Sendable {
    /// The journal takes a write that was decided on an older version.
    case ignoresExpectedVersion
    /// The journal takes several live payments for one order.
    case severalLivePerOrder
    /// The journal acknowledges what a crash then loses.
    case acknowledgesBeforeDurable
    /// An attempt is written only together with what follows it.
    case attemptNotDurableBeforeCall
    /// The provider gets another key for each call.
    case keyNotForwarded
    /// A call without an answer counts as declined.
    case unknownReadAsDeclined
    /// A call without an answer counts as never sent.
    case unknownReadAsNotSent
    case recoveryOff
    /// The provider is thought to remember keys for ever.
    case windowClaimedInfinite
    /// The provider is asked, and what it knows is not heard.
    case queryAlwaysNotFound
    /// The machine's clock is believed, however many days it is wrong.
    case clockBelieved
    /// A webhook is believed instead of asking the provider.
    case webhookContentTrusted
    /// An authorization without an answer is sent again under a new key.
    case retriesUnderNewKey
    /// A refund that never left counts as done.
    case notSentReadAsApproved
    /// What a card reader says of a sale is believed; the payment intent is not.
    case readerBelieved
    /// Each try at a reader makes a payment intent of its own.
    case intentForEachTry
    /// A sale at a reader that was given up is not canceled at the provider.
    case intentNotCanceled
    /// A reader that says that nothing came of a sale is not canceled before that is taken for certain.
    case readerNotCalledOff
    /// A refund at a reader is not looked for before it is made again.
    case readerRefundNotQueried
    /// A renewal of a hold without an answer is sent again under a new key.
    case renewsUnderNewKey
    /// A renewal is written only together with what follows it.
    case renewalNotDurableBeforeCall
    /// A renewal without an answer counts as refused.
    case unknownRenewalReadAsRefused
    /// The name of a renewed hold is forgotten: what is captured is the hold that was renewed.
    case renewedNameForgotten
    /// A capture after a renewal takes half as much again.
    case capturesMoreAfterRenewal
    /// Every account of the provider counts as the one that is configured.
    case otherAccountAsked
    /// An authorization in another currency is read as one in the currency that was asked for.
    case otherCurrencyBelieved
    /// What a provider keeps failing under one key is sent with that key again.
    case spentKeySentAgain
    /// A capture without an answer is sent again under a new key.
    case capturesUnderNewKey
    /// A refund without an answer is sent again under a new key.
    case refundsUnderNewKey
    /// A capture without an answer counts as done.
    case unknownCaptureReadAsDone
    /// A refund without an answer counts as done.
    case unknownRefundReadAsDone
    /// A void without an answer counts as done.
    case unknownVoidReadAsDone
    /// Captures are believed and not sent.
    case capturesNotSent
    /// Refunds are believed and not sent.
    case refundsNotSent
    /// Voids are believed and not sent.
    case voidsNotSent
    /// Each capture takes one minor unit more.
    case capturesOneMore
    /// Each refund gives one minor unit less.
    case refundsOneLess
    /// A rejected credential is read as the customer's bank saying no.
    case keyRejectedReadAsDeclined
    /// A rejected credential is read as done.
    case keyRejectedReadAsDone
    /// A query that was not answered is read as "not found".
    case unknownQueryReadAsNotFound
    /// The end of a hold is not kept.
    case holdEndForgotten
    /// What was captured in part is read as captured whole.
    case partReadAsWhole
    /// A refund that fails after it had succeeded is not read.
    case lateRefundFailureNotRead
    /// A refund that others made is not read.
    case refundOfOthersNotRead
    /// A capture that fails after it had succeeded is not read.
    case captureFailureNotRead
    /// Disputes are not read.
    case disputesNotRead
    /// How a dispute ended is not read.
    case disputeEndNotRead
    /// A webhook is acknowledged and not kept.
    case webhookNotKept
    /// What a line of a statement posts is posted twice.
    case feePostedTwice
    /// Refunds are left out where events are read for the ledger.
    case refundLeftOutOfLedger
    /// After a restore the gate for sales is opened before the sweep is done.
    case gateOpensEarly
    /// The sweep after a restore leaves out every second page of a provider's list.
    case sweepSkipsPage
    /// An incident about a charge that is not known does not hold its order.
    case incidentHoldsNothing
    /// Payments that are known are not queried after a restore.
    case knownNotQueriedAfterRestore

    /// It shows only where a backup is restored.
    var isOfRestores: Bool {
        switch self {
        case .gateOpensEarly, .sweepSkipsPage, .incidentHoldsNothing, .knownNotQueriedAfterRestore: true
        default: false
        }
    }
}
