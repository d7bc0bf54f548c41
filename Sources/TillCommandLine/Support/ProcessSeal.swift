import CTillProcess
import TillCore

/// The protection of the process's memory and files, applied before anything else, so that card numbers and keys stay
/// private to its user.
enum ProcessSeal {
    /// Blocks core dumps, access to its memory by other processes, and access to its files by other users. Memory freed
    /// from then on is zeroed in any case (`wipe.c`).
    static func close() {
        let code = till_process_seal()
        guard code != 0 else { return }
        Output.note(
            "The system does not shut this process's memory to other programs of the same user (error \(code)). "
                + "Payments work; run nothing else under this user.")
    }
}
