package dev.decant.fake.share;

/** The delivery of a record, or of all records of a batch: its state, the number of deliveries, and the member. */
final class Delivery {
  static final String NO_MEMBER = "";

  private RecordState state;
  private int count;
  private String member;
  /** Time of the cluster at which the lock of an acquired record expires. */
  private long lockedUntilMillis;

  private Delivery(RecordState state, int count, String member, long lockedUntilMillis) {
    this.state = state;
    this.count = count;
    this.member = member;
    this.lockedUntilMillis = lockedUntilMillis;
  }

  /** Returns the delivery of a record that was not delivered yet. */
  static Delivery available() {
    return new Delivery(RecordState.AVAILABLE, 0, NO_MEMBER, 0);
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

  /** Returns the number of deliveries. */
  int count() {
    return count;
  }

  /** Returns the member that has acquired the record, {@link #NO_MEMBER} for none. */
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

  /** Ends the delivery. {@code AVAILABLE} allows another one, unless the deliveries are used up. */
  void end(RecordState next, int mostDeliveries) {
    state = next == RecordState.AVAILABLE && count >= mostDeliveries ? RecordState.ARCHIVED : next;
    member = NO_MEMBER;
  }

  void archive() {
    state = RecordState.ARCHIVED;
    member = NO_MEMBER;
  }

  /** Restores an earlier copy, except for renewals. */
  void restore(Delivery earlier) {
    state = earlier.state;
    count = earlier.count;
    member = earlier.member;
  }

  /** Drops the last delivery: a new leader knows only what is stored, which does not have it. */
  void forget() {
    if (isAcquired()) {
      state = RecordState.AVAILABLE;
      count--;
      member = NO_MEMBER;
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
