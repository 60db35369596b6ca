package dev.decant.kafka.fetch;

import org.jspecify.annotations.Nullable;

/**
 * Topics of a fetch session by the two halves of their ids, in constant time and without garbage: a table with open
 * addressing, at most half full. Owner of the loop only.
 */
final class SessionTopics {
  private static final int LEAST_SLOTS = 16;
  /** Golden ratio, which spreads the ids over the table. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private @Nullable SessionTopic[] slots = new @Nullable SessionTopic[LEAST_SLOTS];
  private int size;

  private static int home(long idHigh, long idLow, int slots) {
    return (int) (((idHigh ^ idLow) * SPREAD) >>> Long.numberOfLeadingZeros(slots - 1L));
  }

  /** Returns the slot of a topic, or the one where it would be. */
  private int slotOf(long idHigh, long idLow) {
    int at = home(idHigh, idLow, slots.length);
    for (SessionTopic topic = slots[at]; topic != null; topic = slots[at]) {
      if (topic.id.mostSignificantBits() == idHigh && topic.id.leastSignificantBits() == idLow) {
        break;
      }
      at = (at + 1) & (slots.length - 1);
    }
    return at;
  }

  @Nullable
  SessionTopic find(long idHigh, long idLow) {
    return slots[slotOf(idHigh, idLow)];
  }

  /** Adds a topic that is not in the table. */
  void add(SessionTopic topic) {
    if (2 * ++size > slots.length) {
      grow();
    }
    slots[slotOf(topic.id.mostSignificantBits(), topic.id.leastSignificantBits())] = topic;
  }

  private void grow() {
    @Nullable
    SessionTopic[] before = slots;
    slots = new @Nullable SessionTopic[2 * before.length];
    for (SessionTopic topic : before) {
      if (topic != null) {
        slots[slotOf(topic.id.mostSignificantBits(), topic.id.leastSignificantBits())] = topic;
      }
    }
  }

  /** Removes a topic of the table, and moves later ones towards their home slots, so that no gap hides them. */
  void remove(SessionTopic gone) {
    int gap = slotOf(gone.id.mostSignificantBits(), gone.id.leastSignificantBits());
    int mask = slots.length - 1;
    size--;
    for (int at = (gap + 1) & mask; slots[at] != null; at = (at + 1) & mask) {
      SessionTopic topic = slots[at];
      int home = home(topic.id.mostSignificantBits(), topic.id.leastSignificantBits(), slots.length);
      if (((at - home) & mask) >= ((at - gap) & mask)) {
        slots[gap] = topic;
        gap = at;
      }
    }
    slots[gap] = null;
  }

  void clear() {
    slots = new @Nullable SessionTopic[LEAST_SLOTS];
    size = 0;
  }
}
