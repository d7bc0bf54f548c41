package import TillCore

/// The limits of the conversation with a shop.
package enum ShopLimits {
    /// The most bytes of a shop's URL.
    package static let urlBytes = 500
    /// The most bytes of a consumer key or secret.
    package static let keyBytes = 128
    /// The time limit of one call. A shop that is slower has its call counted as lost.
    package static let deadline = Span.seconds(30)
    /// The largest answer that is read, in bytes. One order with everything that plugins attach to it fits.
    package static let answerBytes = 1 << 20
    /// The orders of one page of a list; the shop allows 100.
    package static let page = 100
    /// The most orders of one list.
    package static let listedOrders = 10_000
    /// How often a list begins again because it changed while it was read.
    package static let listRounds = 3
    /// The most refunds of an order among which a mark is looked for.
    package static let refunds = 1_000
    /// The most bytes of a note or of a reason.
    package static let noteBytes = 2_000
    /// The most bytes of an identifier that is written into an order.
    package static let identifierBytes = 200
    /// The most characters of a shop's own message that an error repeats.
    package static let messageCharacters = 200
}
