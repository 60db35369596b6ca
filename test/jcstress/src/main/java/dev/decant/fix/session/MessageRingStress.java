package dev.decant.fix.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** Messages that two threads hand to the owner of a session: it takes each once, whole, in the order of the claims. */
public class MessageRingStress {
  private static final int BODY = 8;
  private static final int ENTRY = MessageRing.HEADER_BYTES + BODY;
  /** Repeats a letter in each byte of a body. */
  private static final long PATTERN = 0x0101_0101_0101_0101L;

  private MessageRingStress() {}

  /** A ring for two messages, in its second lap: what is left of the first lap looks like messages. */
  private static MessageRing usedRing() {
    MessageRing ring = new MessageRing(2 * ENTRY);
    for (int i = 0; i < 2; i++) {
      send(ring, 'x', BODY);
      ring.release(ring.peek());
    }
    return ring;
  }

  /** Sends a letter, and tells whether there was room. */
  private static boolean send(MessageRing ring, char letter, int claimedBytes) {
    long claim = ring.claim(claimedBytes);
    if (claim == MessageRing.NO_ROOM) {
      return false;
    }
    ring.memory().putLong(ring.bodyOffset(claim), letter * PATTERN);
    ring.commit(claim, letter, BODY);
    return true;
  }

  /** Takes what is committed; a message that is not whole becomes a question mark. */
  private static void take(MessageRing ring, StringBuilder taken) {
    for (long at = ring.peek(); at != MessageRing.NO_ROOM; at = ring.peek()) {
      int letter = ring.msgType(at);
      boolean isWhole = ring.bodyBytes(at) == BODY && ring.memory().getLong(ring.bodyOffset(at)) == letter * PATTERN;
      taken.append(isWhole ? (char) letter : '?');
      ring.release(at);
    }
  }

  /** Two send; one of them is the owner, which takes. Two actors, so that two processors run the test. */
  @JCStressTest
  @Outcome(id = {"AB", "BA"}, expect = ACCEPTABLE, desc = "both, once each")
  @Outcome(expect = FORBIDDEN, desc = "a message was lost, taken twice, or not whole")
  @State
  public static class TwoSend {
    private final MessageRing ring = usedRing();
    private final StringBuilder taken = new StringBuilder();

    /** Sends. */
    @Actor
    public void one() {
      send(ring, 'A', BODY);
    }

    /** Takes what is there, sends, and takes again. */
    @Actor
    public void owner() {
      take(ring, taken);
      send(ring, 'B', BODY);
      take(ring, taken);
    }

    /** Takes the rest. */
    @Arbiter
    public void end(L_Result r) {
      take(ring, taken);
      r.r1 = taken.toString() + (ring.isEmpty() ? "" : "!");
    }
  }

  /** One gives its claim up: the message of the other is taken all the same. */
  @JCStressTest
  @Outcome(id = "B", expect = ACCEPTABLE, desc = "the message, once")
  @Outcome(expect = FORBIDDEN, desc = "it was lost, or what was given up was taken")
  @State
  public static class OneGivesUp {
    private final MessageRing ring = usedRing();
    private final StringBuilder taken = new StringBuilder();

    /** Claims and gives up. */
    @Actor
    public void one() {
      ring.abort(ring.claim(BODY));
    }

    /** Takes what is there, sends, and takes again. */
    @Actor
    public void owner() {
      take(ring, taken);
      send(ring, 'B', BODY);
      take(ring, taken);
    }

    /** Takes the rest. */
    @Arbiter
    public void end(L_Result r) {
      take(ring, taken);
      r.r1 = taken.toString() + (ring.isEmpty() ? "" : "!");
    }
  }

  /** One claims more than it needs and gives the rest back, unless the other has claimed what follows. */
  @JCStressTest
  @Outcome(id = {"AB", "BA"}, expect = ACCEPTABLE, desc = "both, once each")
  @Outcome(expect = FORBIDDEN, desc = "a message was lost, overwritten, or not whole")
  @State
  public static class OneGivesRoomBack {
    private static final int CLAIMED = 24;
    private final MessageRing ring = new MessageRing(4 * ENTRY);
    private final StringBuilder taken = new StringBuilder();

    /** Claims much and sends little. */
    @Actor
    public void one() {
      send(ring, 'A', CLAIMED);
    }

    /** Takes what is there, sends, and takes again. */
    @Actor
    public void owner() {
      take(ring, taken);
      send(ring, 'B', BODY);
      take(ring, taken);
    }

    /** Takes the rest. */
    @Arbiter
    public void end(L_Result r) {
      take(ring, taken);
      r.r1 = taken.toString() + (ring.isEmpty() ? "" : "!");
    }
  }

  /** The owner makes room in a full ring while one sends: there is room, or there is none yet. */
  @JCStressTest
  @Outcome(id = {"CDA", "CD-"}, expect = ACCEPTABLE, desc = "what was there before, and the message if it had room")
  @Outcome(expect = FORBIDDEN, desc = "a message overwrote another one, or was lost")
  @State
  public static class FullRing {
    private final MessageRing ring = usedRing();
    private final StringBuilder taken = new StringBuilder();
    private boolean isSent;

    /** Fills it. */
    public FullRing() {
      send(ring, 'C', BODY);
      send(ring, 'D', BODY);
    }

    /** Sends. */
    @Actor
    public void one() {
      isSent = send(ring, 'A', BODY);
    }

    /** Takes what is there. */
    @Actor
    public void owner() {
      take(ring, taken);
    }

    /** Takes the rest. */
    @Arbiter
    public void end(L_Result r) {
      take(ring, taken);
      r.r1 = taken.toString() + (isSent ? "" : "-");
    }
  }
}
