package dev.decant.fake.share;

/** The delivery of a record, or of all records of a batch: its state, how often it was made, and to which member. */
final class Delivery {
  static final String NOBODY = "";

  private RecordState state;
  private int count;
  private String member;
  /** The time of the cluster at which the lock of an acquired record ends. */
  private long lockedUntilMillis;

  private Delivery(RecordState state, int count, String member, long lockedUntilMillis) {
    this.state = state;
    this.count = count;
    this.member = member;
    this.lockedUntilMillis = lockedUntilMillis;
  }

  /** A record that was not delivered yet. */
  static Delivery available() {
    return new Delivery(RecordState.AVAILABLE, 0, NOBODY, 0);
  }

  Delivery copy() {
    return new Delivery(state, count, member, lockedUntilMillis);
  }

  RecordState state() {
    return state;
  }

  boolean isAvailable() {
    return state == RecordState.AVAILABLE;
  }

  boolean isAcquired() {
    return state == RecordState.ACQUIRED;
  }

  /** How often it was made. */
  int count() {
    return count;
  }

  /** Who has the record, {@link #NOBODY} for none. */
  String member() {
    return member;
  }

  long lockedUntilMillis() {
    return lockedUntilMillis;
  }

  boolean isExpired(long nowMillis) {
    return isAcquired() && lockedUntilMillis <= nowMillis;
  }

  void acquire(String byMember, long untilMillis) {
    state = RecordState.ACQUIRED;
    count++;
    member = byMember;
    lockedUntilMillis = untilMillis;
  }

  void renew(long untilMillis) {
    lockedUntilMillis = untilMillis;
  }

  /** Ends the delivery: with {@code AVAILABLE} another one follows, unless there were as many as may be. */
  void end(RecordState next, int mostDeliveries) {
    state = next == RecordState.AVAILABLE && count >= mostDeliveries ? RecordState.ARCHIVED : next;
    member = NOBODY;
  }

  void archive() {
    state = RecordState.ARCHIVED;
    member = NOBODY;
  }

  /** Takes back what was done since a copy was made, but for a renewal. */
  void restore(Delivery earlier) {
    state = earlier.state;
    count = earlier.count;
    member = earlier.member;
  }

  /** A broker without memory of it takes over: what the brokers have stored does not know of the last delivery. */
  void forget() {
    if (isAcquired()) {
      state = RecordState.AVAILABLE;
      count--;
      member = NOBODY;
    }
  }

  boolean isSame(Delivery other) {
    return state == other.state && count == other.count && member.equals(other.member);
  }

  @Override
  public String toString() {
    return state + " " + count + (member.isEmpty() ? "" : " by " + member);
  }
}
