package dev.decant.kafka.producer;

/**
 * Whether the calling thread has stack left for a piece of work that must not end half done. It goes down some calls
 * and comes back: a {@link StackOverflowError} is thrown before anything has changed, in place of in the middle.
 *
 * <p>Any thread. It takes about half a microsecond, so it is asked for once per batch and not for each record.
 */
final class StackRoom {
  /** About 10 KiB of compiled frames, or 30 KiB of interpreted ones: each more than twice what a send takes. */
  private static final int CALLS = 160;

  private StackRoom() {}

  /**
   * Looks.
   *
   * @throws StackOverflowError if there is too little
   */
  static void require() {
    down(CALLS, 1, 2, 3, 4, 5);
  }

  /** What is kept beyond the call, and differs at each depth, makes the frames large. */
  private static long down(int calls, long a, long b, long c, long d, long e) {
    if (calls == 0) {
      return a;
    }
    long below = down(calls - 1, b, c, d, e, a);
    return below + (a ^ b ^ c ^ d ^ e);
  }
}
