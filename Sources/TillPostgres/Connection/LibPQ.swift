#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// PostgreSQL's client library, loaded when the first PostgreSQL journal is opened rather than linked: a machine
/// without it builds and runs all of Till, and startup takes no longer.
///
/// The functions match the declarations in `libpq-fe.h` of version 15; enumerations are `Int32`, and all pointers are
/// opaque. The library may be used from any thread as long as a connection stays on one.
struct LibPQ: Sendable {
    typealias Connection = OpaquePointer
    typealias Result = OpaquePointer
    typealias Text = UnsafePointer<CChar>
    typealias Notice = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void

    /// The header's `PGnotify`; the fields after these are private to libpq.
    struct Notification {
        var channel: Text?
        var process: Int32
        var payload: Text?
    }

    // Connections.
    let connectStart: @convention(c) (UnsafePointer<Text?>, UnsafePointer<Text?>, Int32) -> Connection?
    let connectPoll: @convention(c) (Connection) -> Int32
    let status: @convention(c) (Connection) -> Int32
    let finish: @convention(c) (Connection) -> Void
    let socket: @convention(c) (Connection) -> Int32
    let errorMessage: @convention(c) (Connection) -> Text?
    let setNonBlocking: @convention(c) (Connection, Int32) -> Int32
    let serverVersion: @convention(c) (Connection) -> Int32
    let needsPassword: @convention(c) (Connection) -> Int32
    let setNoticeReceiver: @convention(c) (Connection, Notice?, UnsafeMutableRawPointer?) -> Notice?
    // Commands.
    let sendQuery: @convention(c) (Connection, Text) -> Int32
    let sendPrepare: @convention(c) (Connection, Text, Text, Int32, UnsafePointer<UInt32>?) -> Int32
    let sendPrepared:
        @convention(c) (
            Connection, Text, Int32, UnsafePointer<Text?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
        ) -> Int32
    let flush: @convention(c) (Connection) -> Int32
    let consumeInput: @convention(c) (Connection) -> Int32
    let isBusy: @convention(c) (Connection) -> Int32
    let getResult: @convention(c) (Connection) -> Result?
    /// Returns a ``Notification``, to be freed with `freeMemory`.
    let notifies: @convention(c) (Connection) -> UnsafeMutableRawPointer?
    let freeMemory: @convention(c) (UnsafeMutableRawPointer?) -> Void
    // Results.
    let resultStatus: @convention(c) (Result?) -> Int32
    let resultErrorField: @convention(c) (Result?, Int32) -> Text?
    let clear: @convention(c) (Result?) -> Void
    let rows: @convention(c) (Result?) -> Int32
    let columns: @convention(c) (Result?) -> Int32
    let value: @convention(c) (Result?, Int32, Int32) -> Text?
    let length: @convention(c) (Result?, Int32, Int32) -> Int32
    let isNull: @convention(c) (Result?, Int32, Int32) -> Int32

    /// OpenSSL's `OPENSSL_INIT_NO_ATEXIT`; valid with the first call only.
    private static let withoutCleanup: UInt64 = 0x0008_0000

    /// The library, or the reason that it cannot be used.
    static let found: Swift.Result<LibPQ, PostgresFailure> = {
        do throws(PostgresFailure) { return .success(try LibPQ()) } catch { return .failure(error) }
    }()

    private init() throws(PostgresFailure) {
        #if os(macOS)
            let files = [
                "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib",
            ]
        #else
            let files = ["libpq.so.5"]
        #endif
        guard let handle = files.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
            throw PostgresFailure(.libraryMissing, "PostgreSQL's client library is not installed")
        }
        // At the end of a process OpenSSL would free what the threads of sessions still use, and a command that had
        // done its work would crash.
        if let address = dlsym(handle, "OPENSSL_init_crypto") {
            let begin = unsafeBitCast(
                address, to: (@convention(c) (UInt64, OpaquePointer?) -> Int32).self)
            _ = begin(LibPQ.withoutCleanup, nil)
        }
        func function<Function>(_ name: String) throws(PostgresFailure) -> Function {
            guard let address = dlsym(handle, name) else {
                throw PostgresFailure(.libraryMissing, "PostgreSQL's client library has no \(name)")
            }
            return unsafeBitCast(address, to: Function.self)
        }
        connectStart = try function("PQconnectStartParams")
        connectPoll = try function("PQconnectPoll")
        status = try function("PQstatus")
        finish = try function("PQfinish")
        socket = try function("PQsocket")
        errorMessage = try function("PQerrorMessage")
        setNonBlocking = try function("PQsetnonblocking")
        serverVersion = try function("PQserverVersion")
        needsPassword = try function("PQconnectionNeedsPassword")
        setNoticeReceiver = try function("PQsetNoticeReceiver")
        sendQuery = try function("PQsendQuery")
        sendPrepare = try function("PQsendPrepare")
        sendPrepared = try function("PQsendQueryPrepared")
        flush = try function("PQflush")
        consumeInput = try function("PQconsumeInput")
        isBusy = try function("PQisBusy")
        getResult = try function("PQgetResult")
        notifies = try function("PQnotifies")
        freeMemory = try function("PQfreemem")
        resultStatus = try function("PQresultStatus")
        resultErrorField = try function("PQresultErrorField")
        clear = try function("PQclear")
        rows = try function("PQntuples")
        columns = try function("PQnfields")
        value = try function("PQgetvalue")
        length = try function("PQgetlength")
        isNull = try function("PQgetisnull")
    }

    /// The values of the header's enumerations and fields.
    enum Number {
        static let connectionOK: Int32 = 0
        static let pollingFailed: Int32 = 0
        static let pollingReading: Int32 = 1
        static let pollingWriting: Int32 = 2
        static let pollingOK: Int32 = 3
        static let commandOK: Int32 = 1
        static let tuplesOK: Int32 = 2
        static let emptyQuery: Int32 = 0
        static let sqlStateField = Int32(UInt8(ascii: "C"))
        static let messageField = Int32(UInt8(ascii: "M"))
    }
}
