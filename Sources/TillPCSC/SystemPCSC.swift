#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The operating system's service: pcsc-lite on Linux, the PCSC framework on macOS. Loaded on first use, not linked.
struct SystemPCSC: PCSCService {
    #if os(Linux)
        typealias Word = UInt
        typealias Code = Int
        /// Name, user data, state, event state, length of the ATR, 33 bytes of it; each in eight bytes.
        private static let stateSize = 80
        private static let stateAt = (current: 16, event: 24)
        private static let files = ["libpcsclite.so.1", "libpcsclite.so"]
    #else
        typealias Word = UInt32
        typealias Code = Int32
        /// The same, packed: pointers of eight bytes, words of four.
        private static let stateSize = 61
        private static let stateAt = (current: 16, event: 20)
        private static let files = ["/System/Library/Frameworks/PCSC.framework/PCSC", "libpcsclite.dylib"]
    #endif

    private static let exclusive: Word = 1
    private static let anyProtocol: Word = 3
    private static let unpower: Word = 2
    /// The longest answer that is accepted: an extended one, with its status word.
    private static let longestAnswer = 65_538
    /// The longest list of names that is accepted, in bytes.
    private static let longestList = 65_536

    struct Functions: @unchecked Sendable {
        typealias Pointer = UnsafeMutableRawPointer
        let establish: @convention(c) (Word, Pointer?, Pointer?, UnsafeMutablePointer<Code>?) -> Code
        let release: @convention(c) (Code) -> Code
        let list:
            @convention(c) (Code, UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Word>?) ->
                Code
        let change: @convention(c) (Code, Word, Pointer?, Word) -> Code
        let connect:
            @convention(c) (
                Code, UnsafePointer<CChar>?, Word, Word, UnsafeMutablePointer<Code>?, UnsafeMutablePointer<Word>?
            ) -> Code
        let disconnect: @convention(c) (Code, Word) -> Code
        let transmit:
            @convention(c) (
                Code, UnsafeRawPointer?, UnsafePointer<UInt8>?, Word, Pointer?, UnsafeMutablePointer<UInt8>?,
                UnsafeMutablePointer<Word>?
            ) -> Code
        let cancel: @convention(c) (Code) -> Code

        static let found: Functions? = Functions()

        private init?() {
            guard
                let handle = SystemPCSC.files.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first,
                let establish = dlsym(handle, "SCardEstablishContext"),
                let release = dlsym(handle, "SCardReleaseContext"),
                let list = dlsym(handle, "SCardListReaders"), let change = dlsym(handle, "SCardGetStatusChange"),
                let connect = dlsym(handle, "SCardConnect"), let disconnect = dlsym(handle, "SCardDisconnect"),
                let transmit = dlsym(handle, "SCardTransmit"), let cancel = dlsym(handle, "SCardCancel")
            else { return nil }
            self.establish = unsafeBitCast(establish, to: type(of: self.establish))
            self.release = unsafeBitCast(release, to: type(of: self.release))
            self.list = unsafeBitCast(list, to: type(of: self.list))
            self.change = unsafeBitCast(change, to: type(of: self.change))
            self.connect = unsafeBitCast(connect, to: type(of: self.connect))
            self.disconnect = unsafeBitCast(disconnect, to: type(of: self.disconnect))
            self.transmit = unsafeBitCast(transmit, to: type(of: self.transmit))
            self.cancel = unsafeBitCast(cancel, to: type(of: self.cancel))
        }
    }

    private func functions() throws(PCSCStatus) -> Functions {
        guard let functions = Functions.found else { throw .notInstalled }
        return functions
    }

    private func check(_ code: Code) throws(PCSCStatus) {
        let status = PCSCStatus(rawValue: UInt32(truncatingIfNeeded: code))
        guard status == .success else { throw status }
    }

    func establish() throws(PCSCStatus) -> PCSCContext {
        var context: Code = 0
        // 2: the scope of the whole system; pcsc-lite knows no other.
        try check(try functions().establish(2, nil, nil, &context))
        return PCSCContext(value: Int(context))
    }

    func release(_ context: PCSCContext) { _ = Functions.found?.release(Code(truncatingIfNeeded: context.value)) }

    func cancel(_ context: PCSCContext) { _ = Functions.found?.cancel(Code(truncatingIfNeeded: context.value)) }

    func readers(_ context: PCSCContext) throws(PCSCStatus) -> [String] {
        let functions = try functions()
        let handle = Code(truncatingIfNeeded: context.value)
        var bytes = [CChar](repeating: 0, count: SystemPCSC.longestList)
        var count = Word(bytes.count)
        try check(functions.list(handle, nil, &bytes, &count))
        // Names one after another, each ended by a zero; an empty one ends them.
        let names = bytes.prefix(Int(clamping: count)).split(separator: 0).map { name in
            String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        guard !names.isEmpty else { throw .noReaders }
        return names
    }

    func waitForChange(
        _ context: PCSCContext, _ known: [PCSCReaderState], milliseconds: UInt32
    ) throws(PCSCStatus) -> [PCSCReaderState] {
        let functions = try functions()
        let names = known.map { strdup($0.name) }
        defer { for name in names { free(name) } }
        let size = SystemPCSC.stateSize
        let (current, event) = SystemPCSC.stateAt
        let table = UnsafeMutableRawPointer.allocate(byteCount: size * max(known.count, 1), alignment: 8)
        defer { table.deallocate() }
        table.initializeMemory(as: UInt8.self, repeating: 0, count: size * max(known.count, 1))
        for (index, state) in known.enumerated() {
            let row = table + index * size
            row.storeBytes(of: UInt(bitPattern: names[index]), as: UInt.self)
            (row + current).storeBytes(of: Word(state.bits), as: Word.self)
        }
        try check(
            functions.change(
                Code(truncatingIfNeeded: context.value), Word(milliseconds), table, Word(known.count)))
        return known.enumerated().map { index, state in
            let bits = (table + index * size + event).loadUnaligned(as: Word.self)
            // Bit 2 flags a change; it must be cleared before the state is passed back in.
            return PCSCReaderState(name: state.name, bits: UInt32(truncatingIfNeeded: bits) & ~0x02)
        }
    }

    func connect(_ context: PCSCContext, reader: String) throws(PCSCStatus) -> PCSCConnection {
        var (handle, active): (Code, Word) = (0, 0)
        try check(
            try functions().connect(
                Code(truncatingIfNeeded: context.value), reader, SystemPCSC.exclusive, SystemPCSC.anyProtocol, &handle,
                &active))
        guard let style = PCSCConnection.Style(rawValue: UInt32(truncatingIfNeeded: active)) else {
            throw .protocolMismatch
        }
        return PCSCConnection(value: Int(handle), style: style)
    }

    func transmit(_ connection: PCSCConnection, _ bytes: [UInt8]) throws(PCSCStatus) -> [UInt8] {
        let functions = try functions()
        // The protocol and the size of these two words.
        let head: [Word] = [Word(connection.style.rawValue), Word(2 * MemoryLayout<Word>.size)]
        let room = SystemPCSC.longestAnswer
        var count = Word(room)
        var code: Code = 0
        let answer = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
            code = functions.transmit(
                Code(truncatingIfNeeded: connection.value), head, bytes, Word(bytes.count), nil, buffer.baseAddress,
                &count)
            filled = code == 0 ? min(Int(clamping: count), room) : 0
        }
        try check(code)
        return answer
    }

    func disconnect(_ connection: PCSCConnection) {
        _ = Functions.found?.disconnect(Code(truncatingIfNeeded: connection.value), SystemPCSC.unpower)
    }
}
