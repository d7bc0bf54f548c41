import Synchronization

/// The address of a stand-in, once it listens.
final class ServedAddress: Sendable {
    private let port = Mutex<Int?>(nil)

    func set(port: Int) { self.port.withLock { $0 = port } }

    var url: String { port.withLock { $0 }.map { "http://127.0.0.1:\($0)" } ?? "http://127.0.0.1" }
}
