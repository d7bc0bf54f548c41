#if canImport(Darwin)
    import os
#else
    import Synchronization
#endif

/// A value that is read and changed only under a lock, for state that many threads share.
///
/// The modules of apps use it in place of `Mutex`, which needs iOS 18: on Apple's systems it is a lock of iOS 16, the
/// one that lends a waiting thread's priority to the owner, and elsewhere a `Mutex`. The conformance to `Sendable` is
/// checked by the compiler: both locks are sendable themselves, and this class has nothing else.
///
/// A reference, unlike `Mutex`: copies of a structure share one value. Not recursive: ``withLock(_:)`` within itself
/// ends the process or never returns.
package final class Guarded<Value: Sendable>: Sendable {
    #if canImport(Darwin)
        private let lock: OSAllocatedUnfairLock<Value>
    #else
        private let lock: Mutex<Value>
    #endif

    /// Creates a lock around its first value.
    package init(_ value: Value) {
        #if canImport(Darwin)
            lock = OSAllocatedUnfairLock(initialState: value)
        #else
            lock = Mutex(value)
        #endif
    }

    /// Runs `body` alone: no other call for this value runs at the same time, and each sees the changes of those before
    /// it, also of one that threw. It must not wait.
    /// - Throws: the error of `body`.
    package func withLock<Output, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        #if canImport(Darwin)
            // The lock's own method rethrows any error; its type is kept in the result.
            let result = lock.withLockUnchecked { value -> Result<Output, Failure> in
                do throws(Failure) { return .success(try body(&value)) } catch { return .failure(error) }
            }
            return try result.get()
        #else
            return try lock.withLock { value throws(Failure) in try body(&value) }
        #endif
    }
}
