import ServiceLifecycle

/// Cancels the read at shutdown, so that shutdown does not wait for a customer.
struct VirtualTapRunner: Service {
    let taps: VirtualTapService

    func run() async throws {
        try await gracefulShutdown()
        await taps.close()
    }
}
