import HTTPTypes
public import TillCore

/// A card reader as the counter lists it.
public struct CounterReader: Hashable, Sendable {
    public let id: String
    public let label: String
    /// The provider's word for the model.
    public let deviceType: String
    /// The network status as seen by the provider, if reported.
    public let status: String?
    /// The provider's identifier of the location, if it has one.
    public let location: String?
    /// `true` for a reader without a device, for tests.
    public let isSimulated: Bool
    /// `true` while it serves a sale.
    public let isBusy: Bool
}

/// The readers of a counter at one moment.
public struct CounterReaderList: Hashable, Sendable {
    public let readers: [CounterReader]
    /// `false` if a provider did not answer, so that readers may be missing.
    public let isComplete: Bool
}

/// A connection token of the provider, for an SDK on the device.
public struct CounterConnectionToken: Sendable {
    public let secret: Secret<String>
    public let location: String?
}

extension CounterReader {
    init?(_ json: JSONValue) {
        guard let id = json["id"]?.stringValue, !id.isEmpty, id.utf8.count <= IdentifierLimits.maximumBytes,
            let type = json["device_type"]?.stringValue
        else { return nil }
        self.id = id
        label = json["label"]?.stringValue ?? id
        deviceType = type
        status = json["status"]?.stringValue
        location = json["location"]?.stringValue
        isSimulated = json["simulated"]?.boolValue ?? false
        isBusy = json["busy"]?.boolValue ?? false
    }
}

extension CounterClient {
    /// The most readers of a list that are read.
    static let maximumReaders = 1000

    /// Lists the counter's readers.
    public func readers() async throws(CounterError) -> CounterReaderList {
        let call = CounterCall(
            operation: .listReaders, path: "/v1/terminal/readers", deadline: limits.exchange, tries: limits.maximumTries
        )
        let answer = try await send(call)
        guard let all = answer.json["readers"]?.arrayValue, all.count <= CounterClient.maximumReaders else {
            throw call.unknown("its answer has no list of readers that can be read")
        }
        return CounterReaderList(
            readers: all.compactMap { CounterReader($0) }, isComplete: answer.json["complete"]?.boolValue ?? false)
    }

    /// Cancels what a reader is doing; refused once a card is being charged. It ends the sale that the reader serves,
    /// whoever began it.
    @discardableResult
    public func cancelReader(_ id: String) async throws(CounterError) -> CounterReader {
        let call = CounterCall(
            operation: .cancelReader, method: .post, path: "/v1/terminal/readers/\(CounterPath.segment(id))/cancel",
            body: .object([]), deadline: limits.exchange, tries: limits.maximumTries)
        let answer = try await send(call)
        guard let reader = CounterReader(answer.json) else {
            throw call.unknown("its answer has no reader that can be read", answer.requestID)
        }
        guard reader.id == id else {
            throw .mismatch(
                CounterMismatch(
                    operation: .cancelReader, part: .reader, asked: id, answered: reader.id, requestID: answer.requestID
                ))
        }
        return reader
    }

    /// Requests a fresh connection token for the provider's SDK on this device.
    public func connectionToken(location: String? = nil) async throws(CounterError) -> CounterConnectionToken {
        let call = CounterCall(
            operation: .connectionToken, method: .post, path: "/v1/terminal/connection_tokens",
            body: .object(location.map { [JSONMember(key: "location", value: .string($0))] } ?? []),
            deadline: limits.exchange, tries: limits.maximumTries)
        let answer = try await send(call)
        guard let secret = answer.json["secret"]?.stringValue, !secret.isEmpty else {
            throw call.unknown("its answer has no token", answer.requestID)
        }
        return CounterConnectionToken(secret: Secret(secret), location: answer.json["location"]?.stringValue)
    }
}
