import TillCore
import Tracing

extension Attribution {
    /// Of the request that is being answered.
    /// - Parameter device: the one at which they did it; by itself that which is known of the request.
    init(ofRequestBy actor: Actor, at device: DeviceID? = Attribution.current?.device) {
        self.init(
            actor, request: ServiceContext.current?.requestID.map(CardScrubbing.withoutNumbers), device: device,
            address: RequestOrigin.current.client.description)
    }

    /// Does something that is attributed to somebody, as of the request that is being answered.
    static func ofRequest<Value>(
        by actor: Actor, at device: DeviceID? = Attribution.current?.device,
        isolation: isolated (any _Concurrency.Actor)? = #isolation, _ work: () async throws -> Value
    ) async rethrows -> Value {
        try await $current.withValue(Attribution(ofRequestBy: actor, at: device), operation: work, isolation: isolation)
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
