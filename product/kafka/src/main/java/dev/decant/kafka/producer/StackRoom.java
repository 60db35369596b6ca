package dev.decant.kafka.producer;

/**
 * Checks that the calling thread has stack left for work that must not end halfway. It goes down some calls and comes
 * back, so a {@link StackOverflowError} is thrown before anything has changed.
 *
 * <p>Any thread. The check takes about half a microsecond, so it is made once per batch and not for each record.
 */
final class StackRoom {
  /** About 10 KiB of compiled frames, or 30 KiB of interpreted ones: each more than twice what a send takes. */
  private static final int CALLS = 160;

  private StackRoom() {}

  /**
   * Checks the stack.
   *
   * @throws StackOverflowError if too little is left
   */
  static void require() {
    down(CALLS, 1, 2, 3, 4, 5);
  }

  /** Its values live across the call and differ at each depth, which makes the frames large. */
  private static long down(int calls, long a, long b, long c, long d, long e) {
    if (calls == 0) {
      return a;
    }
    long below = down(calls - 1, b, c, d, e, a);
    return below + (a ^ b ^ c ^ d ^ e);
  }
}
