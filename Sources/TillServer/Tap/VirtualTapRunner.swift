import ServiceLifecycle

/// Cancels the read when the counter ends, so that the end does not wait for a customer.
struct VirtualTapRunner: Service {
    let taps: VirtualTapService

    func run() async throws {
        try await gracefulShutdown()
        await taps.close()
    }
}
