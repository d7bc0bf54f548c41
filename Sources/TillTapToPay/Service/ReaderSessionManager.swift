import Synchronization

/// Whether the app is seen, as SwiftUI says it.
public enum ReaderScenePhase: String, Hashable, Sendable {
    /// It is, and takes touches.
    case active
    /// It is, but something lies over it. The session lives on.
    case inactive
    /// It is not. The session is over.
    case background
}

/// Reports to a reader whether the app is in the foreground, in the order in which the app learnt it.
///
/// In SwiftUI: `.onChange(of: scenePhase) { _, new in manager.handleScenePhase(new) }`. Going to the background ends
/// the session at once; coming back makes a new one, with growing pauses while that fails.
public final class ReaderSessionManager: Sendable {
    private let phases: AsyncStream<ReaderScenePhase>.Continuation
    private let reader: PaymentCardReader
    private let task: Task<Void, Never>

    /// A manager for a reader.
    public init(reader: PaymentCardReader, executor: (any TaskExecutor)? = nil) {
        self.reader = reader
        let (stream, continuation) = AsyncStream.makeStream(
            of: ReaderScenePhase.self, bufferingPolicy: .bufferingNewest(16))
        phases = continuation
        task = Task(executorPreference: executor) {
            for await phase in stream { await ReaderSessionManager.tell(reader, phase) }
        }
    }

    deinit {
        phases.finish()
        task.cancel()
    }

    /// Where the reader stands.
    public var status: ReaderStatus { reader.status }

    /// The app's scene changed. Returns at once.
    public func handleScenePhase(_ phase: ReaderScenePhase) { phases.yield(phase) }

    private static func tell(_ reader: PaymentCardReader, _ phase: ReaderScenePhase) async {
        switch phase {
        case .active: await reader.entersForeground()
        case .background: await reader.entersBackground()
        case .inactive: break
        }
    }
}
