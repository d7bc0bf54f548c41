package import TillCore
import TillCounter
import Tracing

extension Attribution {
    /// Creates the attribution of the current request.
    /// - Parameters:
    ///   - device: The device of the action; by default the request's.
    ///   - drawer: The cash drawer of that device; by default the request's.
    package init(
        ofRequestBy actor: Actor, at device: DeviceID? = Attribution.current?.device,
        drawer: DrawerName? = Attribution.current?.drawer
    ) {
        self.init(
            actor, request: ServiceContext.current?.requestID.map(CardNumberMask.maskedForPeople), device: device,
            address: RequestOrigin.current.client.description, drawer: drawer)
    }

    /// Runs an operation attributed to an actor, with the context of the current request.
    package static func ofRequest<Value>(
        by actor: Actor, at device: DeviceID? = Attribution.current?.device,
        drawer: DrawerName? = Attribution.current?.drawer,
        isolation: isolated (any _Concurrency.Actor)? = #isolation, _ work: () async throws -> Value
    ) async rethrows -> Value {
        let attribution = Attribution(ofRequestBy: actor, at: device, drawer: drawer)
        return try await $current.withValue(attribution, operation: work, isolation: isolation)
    }
}

extension RouteAudience {
    /// The actor of open routes for this audience; `nil` if the route determines it.
    package var actor: Actor? {
        switch self {
        case .customer: .customer
        case .clerk, .provider, .operator: nil
        }
    }
}
