import NIOCore
import NIOPosix
public import TillContactless
public import TillCore

/// A virtual card in the slot of the virtual reader that pcscd provides with `vpcd`, so that a program written for
/// physical readers uses this card through the machine's own smart card service.
///
/// The card connects to the reader's port. Each message is a two-byte length and its bytes; a single byte is a control:
/// power off, power on, reset, "who are you". Source: vsmartcard's `vpcd.h`.
public struct VirtualCardSlot: Sendable {
    /// The answer to reset of a contactless card without historical bytes, supporting both protocols, as constructed in
    /// PC/SC part 3.
    public static let contactlessATR: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x01]
    /// The maximum accepted message length, in bytes.
    public static let longestMessage = 65_535
    /// The time limit for connecting to the reader.
    public static let patience: Span = .seconds(30)

    /// The reader's host.
    public let host: String
    /// Its port, 35963 by default.
    public let port: Int
    /// The time after which a removed card is presented again; `nil` for never.
    public let returnsAfter: Span?
    private let card: VirtualCard
    private let clock: any TillClock

    public init(
        _ card: VirtualCard, host: String = "127.0.0.1", port: Int = 35_963, returnsAfter: Span? = .seconds(2),
        clock: any TillClock = SystemClock()
    ) {
        (self.card, self.host, self.port) = (card, host, port)
        (self.returnsAfter, self.clock) = (returnsAfter, clock)
    }

    /// A change of the card's presence.
    public enum Event: String, Sendable {
        /// The card is in the reader.
        case presented
        case powered
        /// The reader has sent its first command since the card was powered.
        case asked
        /// The card was removed in the middle of an exchange.
        case removed
    }

    /// Holds the card in the reader until the task is canceled, the reader goes away, or the card is
    /// torn away for good.
    /// - Throws: when the reader cannot be reached within ``patience``.
    public func run(_ tell: @Sendable (Event) -> Void = { _ in }) async throws {
        while !Task.isCancelled {
            let wasTorn = try await present(tell)
            guard wasTorn, let returnsAfter else { return }
            try await clock.sleep(for: returnsAfter)
        }
    }

    /// Runs one presentation; returns `true` if the card was removed.
    private func present(_ tell: @Sendable (Event) -> Void) async throws -> Bool {
        let connection = try await connect()
        tell(.presented)
        let channel = VirtualCardChannel(card, clock: clock)
        return try await connection.executeThenClose { inbound, outbound in
            var isAsked = false
            for try await message in inbound {
                guard let control = message.first, message.count == 1 else {
                    if !isAsked {
                        isAsked = true
                        tell(.asked)
                    }
                    switch await answer(message, channel) {
                    case .bytes(let bytes): try await outbound.write(bytes)
                    case .nothing: continue
                    case .removed:
                        tell(.removed)
                        return true
                    }
                    continue
                }
                switch control {
                case 0: await channel.powerOff()
                case 1, 2:
                    await channel.powerOff()
                    try? await channel.waitForCard()
                    isAsked = false
                    tell(.powered)
                case 4: try await outbound.write(VirtualCardSlot.contactlessATR)
                default: continue
                }
            }
            return false
        }
    }

    private enum Said {
        case bytes([UInt8])
        case nothing
        case removed
    }

    private func answer(_ message: [UInt8], _ channel: VirtualCardChannel) async -> Said {
        guard let command = CommandAPDU(bytes: message) else {
            return .bytes(ResponseAPDU(status: .wrongLength).bytes)
        }
        do throws(CardChannelError) {
            return .bytes(try await channel.transmit(command).bytes)
        } catch {
            return error == .silence ? .nothing : .removed
        }
    }

    private func connect() async throws -> NIOAsyncChannel<[UInt8], [UInt8]> {
        let began = clock.now()
        while true {
            do {
                return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: host, port: port) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandlers(
                                PromptAcknowledgement(), ByteToMessageHandler(CardMessages()),
                                MessageToByteHandler(CardMessages()))
                            return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                        }
                    }
            } catch {
                guard clock.now().since(began).milliseconds < VirtualCardSlot.patience.milliseconds else { throw error }
                try await clock.sleep(for: .milliseconds(100))
            }
        }
    }
}

/// Acknowledges received data immediately. The reader sends the length and the bytes separately and would delay the
/// bytes until the length is acknowledged: 40 ms for each command, a third of a second for each tap. Source: tcp(7),
/// TCP_QUICKACK.
private final class PromptAcknowledgement: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        #if os(Linux)
            let quick = NIOBSDSocket.Option(rawValue: 12)
            context.channel.setOption(.tcpOption(quick), value: 1).whenFailure { _ in }
        #endif
        context.fireChannelRead(data)
    }
}

/// Framing: a two-byte length, then the message.
private struct CardMessages: ByteToMessageDecoder, MessageToByteEncoder {
    typealias InboundOut = [UInt8]
    typealias OutboundIn = [UInt8]

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let count = buffer.getInteger(at: buffer.readerIndex, as: UInt16.self),
            buffer.readableBytes >= 2 + Int(count)
        else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: 2)
        context.fireChannelRead(wrapInboundOut(buffer.readBytes(length: Int(count)) ?? []))
        return .continue
    }

    func encode(data: [UInt8], out: inout ByteBuffer) throws {
        out.writeInteger(UInt16(clamping: data.count))
        out.writeBytes(data.prefix(VirtualCardSlot.longestMessage))
    }
}
