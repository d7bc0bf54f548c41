import TillApplePay

/// The names of a basket's services in requests and answers.
package enum BasketService: String, CaseIterable, Sendable {
    case delivery
    case collection
    /// Neither delivery nor collection.
    case none

    init(_ service: SheetBasket.Service) {
        self =
            switch service {
            case .delivery: .delivery
            case .collection: .collection
            case .neither: .none
            }
    }
}
