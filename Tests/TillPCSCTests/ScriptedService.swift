import Foundation
import Synchronization
import TillContactless

@testable import TillPCSC

/// A smart card service whose readers, cards and failures are told to it.
final class ScriptedService: PCSCService {
    struct State {
        var isRunning = true
        var contexts = 0
        var readers = ["Front 00 00"]
        var present: Set<String> = []
        var mute: Set<String> = []
        var style = PCSCConnection.Style.blocks
        /// What the next calls end with.
        var connectFails: [PCSCStatus] = []
        var transmitFails: [PCSCStatus] = []
        /// The card leaves with this many more commands.
        var leavesAfter: Int?
        /// Answers of the card; without any the command's bytes come back with 9000.
        var answers: [[UInt8]] = []
        var sent: [[UInt8]] = []
        var disconnects = 0
        var releases = 0
        var isCancelled = false
        var hangs = false
    }

    let state = Mutex(State())

    func change<Result>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    func establish() throws(PCSCStatus) -> PCSCContext {
        guard
            let context = change({ state -> Int? in
                guard state.isRunning else { return nil }
                state.contexts += 1
                return state.contexts
            })
        else { throw .noService }
        return PCSCContext(value: context)
    }

    func release(_ context: PCSCContext) { change { $0.releases += 1 } }

    func readers(_ context: PCSCContext) throws(PCSCStatus) -> [String] {
        let (isRunning, readers) = change { ($0.isRunning, $0.readers) }
        guard isRunning else { throw .serviceStopped }
        guard !readers.isEmpty else { throw .noReaders }
        return readers
    }

    func waitForChange(
        _ context: PCSCContext, _ known: [PCSCReaderState], milliseconds: UInt32
    ) throws(PCSCStatus) -> [PCSCReaderState] {
        let end = Date().addingTimeInterval(Double(milliseconds) / 1000)
        while true {
            let (isRunning, isCancelled, states) = change { state in
                let states = known.map { known -> PCSCReaderState in
                    guard state.readers.contains(known.name) else {
                        return PCSCReaderState(name: known.name, bits: 0x04)
                    }
                    let bits: UInt32 = state.present.contains(known.name) ? 0x20 : 0x10
                    return PCSCReaderState(name: known.name, bits: bits | (state.mute.contains(known.name) ? 0x200 : 0))
                }
                return (state.isRunning, state.isCancelled, states)
            }
            guard isRunning else { throw .noService }
            if isCancelled {
                change { $0.isCancelled = false }
                throw .canceled
            }
            if states != known { return states }
            guard Date() < end else { throw .timeout }
            Thread.sleep(forTimeInterval: 0.001)
        }
    }

    func connect(_ context: PCSCContext, reader: String) throws(PCSCStatus) -> PCSCConnection {
        let (failure, style) = change { ($0.connectFails.isEmpty ? nil : $0.connectFails.removeFirst(), $0.style) }
        if let failure { throw failure }
        return PCSCConnection(value: 7, style: style)
    }

    func transmit(_ connection: PCSCConnection, _ bytes: [UInt8]) throws(PCSCStatus) -> [UInt8] {
        while change({ $0.hangs }) { Thread.sleep(forTimeInterval: 0.002) }
        let (failure, answer) = change { state -> (PCSCStatus?, [UInt8]) in
            state.sent.append(bytes)
            if let left = state.leavesAfter {
                if left == 0 {
                    state.present = []
                    return (.notTransacted, [])
                }
                state.leavesAfter = left - 1
            }
            if !state.transmitFails.isEmpty { return (state.transmitFails.removeFirst(), []) }
            return (nil, state.answers.isEmpty ? bytes + [0x90, 0x00] : state.answers.removeFirst())
        }
        if let failure { throw failure }
        return answer
    }

    func disconnect(_ connection: PCSCConnection) { change { $0.disconnects += 1 } }

    func cancel(_ context: PCSCContext) { change { $0.isCancelled = true } }
}
