/// The Merkle tree of RFC 6962 §2.1 over leaves that come one after the other; only its right edge is kept.
package struct MerkleTree: Sendable {
  package private(set) var size: UInt64 = 0
  /// The roots of the complete subtrees, the greatest first: one for each 1 bit in `size`.
  private var edge: [[UInt8]] = []

  package init() {}

  /// Adds a leaf.
  package mutating func append(_ leaf: [UInt8]) {
    var digest = SHA256()
    digest.update([0x00])
    digest.update(leaf)
    var node = digest.finish()
    // Each complete pair becomes one subtree, like a carry in a counter.
    var rest = size
    while rest & 1 == 1, let left = edge.popLast() {
      node = MerkleTree.parent(left, node)
      rest >>= 1
    }
    edge.append(node)
    size += 1
  }

  /// The hash of no bytes if there is no leaf.
  package var root: [UInt8] {
    guard var node = edge.last else { return SHA256.digest(of: []) }
    for left in edge.dropLast().reversed() { node = MerkleTree.parent(left, node) }
    return node
  }

  private static func parent(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    digest.update([0x01])
    digest.update(left)
    digest.update(right)
    return digest.finish()
  }
}
