import NIOCore
import NIOPosix
import Synchronization
import TillCore
package import TillCounter

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Finds the addresses of a host's name.
package protocol HostResolver: Sendable {
    /// Returns at most ``WebhookLimits/addressesPerName`` addresses; none if the name is not found in time, `nil` if it
    /// was not looked for.
    func addresses(of host: String) async -> [ClientAddress]?
}

extension HostResolver {
    /// Returns the addresses at which a host may be reached.
    /// - Parameter host: a name, or an address without brackets.
    /// - Throws: ``WebhookFailure/address(_:)`` if one of its addresses is not allowed, and if the name is not found.
    func allowedAddresses(
        of host: String, private allowsPrivate: Bool
    ) async throws(WebhookFailure) -> [ClientAddress] {
        let found: [ClientAddress]
        if let address = ClientAddress(host) {
            found = [address]
        } else {
            guard let resolved = await addresses(of: host) else { throw .resolversBusy }
            found = resolved
        }
        guard !found.isEmpty else { throw .nameNotFound }
        for address in found where !AddressReach(address).isAllowed(private: allowsPrivate) {
            throw .address(address.description)
        }
        return found
    }
}

/// The resolver of the operating system. Its calls block, so they have threads of their own; a call that does not
/// return keeps its thread, and its caller waits no longer than ``WebhookLimits/resolution``.
package struct SystemResolver: HostResolver {
    /// The number of names that are resolved at the same time.
    private static let threads: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: WebhookLimits.resolvers)
        pool.start()
        return pool
    }()

    package init() {}

    package func addresses(of host: String) async -> [ClientAddress]? {
        let (answers, answer) = AsyncStream.makeStream(of: [ClientAddress]?.self, bufferingPolicy: .bufferingOldest(1))
        let hasBegun = Atomic(false)
        let end = NIODeadline.now() + .milliseconds(WebhookLimits.resolution.milliseconds)
        SystemResolver.threads.submit { state in
            // Nobody waits any more for one that had no thread in time.
            let isWanted = state == .active && NIODeadline.now() < end
            guard isWanted else {
                answer.yield(nil)
                return
            }
            hasBegun.store(true, ordering: .relaxed)
            answer.yield(SystemResolver.resolve(host))
        }
        let alarm = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(deadline: end) {
            answer.yield(hasBegun.load(ordering: .relaxed) ? [] : nil)
        }
        defer { alarm.cancel() }
        for await found in answers { return found }
        return []
    }

    /// Resolves a name and waits for it.
    private static func resolve(_ host: String) -> [ClientAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0, let list else { return [] }
        defer { freeaddrinfo(list) }
        var found: [ClientAddress] = []
        var next: UnsafeMutablePointer<addrinfo>? = list
        while let one = next, found.count < WebhookLimits.addressesPerName {
            if let address = address(one.pointee), !found.contains(address) { found.append(address) }
            next = one.pointee.ai_next
        }
        return found
    }

    private static func address(_ info: addrinfo) -> ClientAddress? {
        guard let raw = UnsafeRawPointer(info.ai_addr) else { return nil }
        switch info.ai_family {
        case AF_INET:
            let four = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            return withUnsafeBytes(of: four) { ClientAddress(bytes: Array($0)[...]) }
        case AF_INET6:
            let six = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return withUnsafeBytes(of: six) { ClientAddress(bytes: Array($0)[...]) }
        default: return nil
        }
    }
}
