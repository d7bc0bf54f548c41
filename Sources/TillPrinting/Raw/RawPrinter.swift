import Foundation
import NIOCore
import NIOPosix
import Synchronization
public import TillCore

/// An ESC/POS printer that takes bytes: over TCP, usually port 9100, or through a device file.
///
/// It is asked how it stands before a byte of the receipt is sent, so that a receipt does not go into a printer
/// without paper, and after. No answer is `unknown`: some printers and print servers never give one.
public struct RawPrinter: Sendable {
    /// How long an answer about the state is waited for.
    public static let statusDeadline = Span.milliseconds(800)
    /// How often a connection is tried.
    public static let connectTries = 3

    private let address: PrinterAddress

    /// A printer at an address of ``PrinterAddress/socket(host:port:)`` or ``PrinterAddress/device(_:)``.
    public init(_ address: PrinterAddress) { self.address = address }

    /// How it stands.
    public func state() async throws(IPPError) -> PrinterState {
        guard case .socket(let host, let port) = address else { return PrinterState(.unknown) }
        let line = try await RawLine.open(host: host, port: port)
        let state = await line.state()
        await line.close()
        return state
    }

    /// Sends bytes once.
    /// - Throws: ``IPPError`` if not one byte of them was sent.
    public func send(_ bytes: [UInt8]) async throws(IPPError) -> PrintOutcome {
        switch address {
        case .ipp: throw .unreachable("this is an IPP printer", mayHaveArrived: false)
        case .device(let path): return try writeDevice(path, bytes)
        case .socket(let host, let port):
            let line = try await RawLine.open(host: host, port: port)
            let before = await line.state()
            if before.needsHelp {
                await line.close()
                throw .unreachable(before.sentence, mayHaveArrived: false)
            }
            do {
                try await line.write(bytes)
            } catch {
                await line.close()
                return .mayHavePrinted("The connection broke while it was sent.")
            }
            let after = await line.state()
            await line.close()
            if after.needsHelp { return .mayHavePrinted(after.sentence) }
            return .handedOver(after)
        }
    }

    private func writeDevice(_ path: String, _ bytes: [UInt8]) throws(IPPError) -> PrintOutcome {
        let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        guard kind == .typeCharacterSpecial, let file = FileHandle(forWritingAtPath: path) else {
            throw .unreachable("there is no printer at \(path)", mayHaveArrived: false)
        }
        do {
            try file.write(contentsOf: Data(bytes))
            try file.close()
            return .handedOver(PrinterState(.unknown))
        } catch { return .mayHavePrinted("Writing to \(path) broke off.") }
    }
}

/// One open connection.
private struct RawLine: Sendable {
    private let channel: any Channel
    private let heard: HeardBytes

    static func open(host: String, port: Int) async throws(IPPError) -> RawLine {
        var tries = 0
        while true {
            let heard = HeardBytes()
            do {
                let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connectTimeout(.seconds(3))
                    .channelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(Listener(heard))
                        }
                    }.connect(host: host, port: port).get()
                return RawLine(channel: channel, heard: heard)
            } catch {
                tries += 1
                guard tries < RawPrinter.connectTries else {
                    throw .unreachable("no connection to \(host):\(port)", mayHaveArrived: false)
                }
                try? await Task.sleep(for: .milliseconds(200 * tries))
            }
        }
    }

    func write(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    func close() async { try? await channel.close() }

    /// Asks all that is known to be asked; stops at the first question without an answer.
    func state() async -> PrinterState {
        var answers: [ESCPOSStatus] = []
        for question in ESCPOSStatus.questions {
            heard.forget()
            do { try await write(question.bytes) } catch { return PrinterState(.unknown) }
            guard let byte = await answer() else { break }
            guard let status = ESCPOSStatus(question, byte) else { return PrinterState(.unknown) }
            answers.append(status)
        }
        return answers.isEmpty ? PrinterState(.unknown) : ESCPOSStatus.state(answers)
    }

    private func answer() async -> UInt8? {
        let end = ContinuousClock.now + RawPrinter.statusDeadline.duration
        while ContinuousClock.now < end {
            if let byte = heard.first { return byte }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return nil
    }
}

/// What came back; only the last few bytes are kept.
private final class HeardBytes: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    var first: UInt8? { bytes.withLock { $0.first } }
    func forget() { bytes.withLock { $0 = [] } }
    func take(_ more: some Sequence<UInt8>) { bytes.withLock { $0 = Array(($0 + more).suffix(64)) } }
}

private final class Listener: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let heard: HeardBytes

    init(_ heard: HeardBytes) { self.heard = heard }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        heard.take(unwrapInboundIn(data).readableBytesView)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
