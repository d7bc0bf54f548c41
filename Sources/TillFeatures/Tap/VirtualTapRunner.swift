import ServiceLifecycle

/// Cancels the read at shutdown, so that shutdown does not wait for a customer.
package struct VirtualTapRunner: Service {
    let taps: VirtualTapService

    package init(taps: VirtualTapService) {
        self.taps = taps
    }

    package func run() async throws {
        try await gracefulShutdown()
        await taps.close()
    }
}
