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
}
