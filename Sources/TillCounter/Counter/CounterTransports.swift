import Synchronization
import TillCore
import TillHTTP
import TillProvider

/// A counter's connections to providers, opened on first use. Each call is part of the request's trace.
final class CounterTransports: ProviderTransports {
    private struct Opened {
        var shared: HTTPClientTransport?
        var devices: [HTTPClientTransport] = []
    }

    private let opened = Mutex(Opened())
    private let clock: WitnessedClock

    /// - Parameter clock: The clock that learns the time from provider responses.
    init(clock: WitnessedClock) { self.clock = clock }

    func shared() -> any HTTPTransport {
        opened.withLock { opened in
            let transport = opened.shared ?? HTTPClientTransport()
            opened.shared = transport
            return TracedTransport(transport: WitnessingTransport(transport, clock: clock))
        }
    }

    func trustingDevices(of root: String) throws -> any HTTPTransport {
        let transport = try HTTPClientTransport(trustingDevicesOf: root)
        opened.withLock { $0.devices.append(transport) }
        return TracedTransport(transport: transport)
    }

    /// Closes all connections. Calls in flight end as `unknown`.
    func shutdown() async {
        let all = opened.withLock { opened in
            defer { opened = Opened() }
            return (opened.shared.map { [$0] } ?? []) + opened.devices
        }
        for transport in all { await transport.shutdown() }
    }
}
