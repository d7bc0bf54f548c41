import TillCore
import Tracing

extension Attribution {
    /// Of the request that is being answered.
    init(ofRequestBy actor: Actor) {
        self.init(
            actor, request: ServiceContext.current?.requestID.map(CardScrubbing.withoutNumbers),
            address: RequestOrigin.current.client.description)
    }
}

extension RouteAudience {
    /// Who acts through a route of it that anybody may ask; `nil` where the route itself finds that out.
    var actor: Actor? {
        switch self {
        case .customer: .customer
        case .clerk, .provider, .operator: nil
        }
    }
}
