package dev.decant.kafka.work;

import dev.decant.kafka.internal.OffsetWindow;
import java.util.Arrays;
import java.util.Base64;

/**
 * Offsets of a partition that are done although others before them are not, as runs. They are kept in the metadata of
 * the committed offset, so that the next member of the partition does not do them again. Immutable.
 *
 * <pre>
 *   w1.BASE64     version 1; unsigned varints: how many offsets are not done, how many are, how many are not, ...
 *                 from the committed offset on; the last count is of offsets that are done
 * </pre>
 *
 * <p>Runs that the broker's limit has no room for are left out: these records come again.
 */
final class DoneOffsets {
  static final DoneOffsets NONE = new DoneOffsets(new long[0], 0);

  private static final String VERSION_1 = "w1.";
  /** A run takes a character at least. */
  private static final int MOST_TEXT = 1 << 20;
  private static final int MOST_VARINT_BYTES = 9;

  /** The first offset of each run, and the one behind its last. */
  private final long[] runs;
  private final int length;

  private DoneOffsets(long[] runs, int length) {
    this.runs = runs;
    this.length = length;
  }

  boolean isEmpty() {
    return length == 0;
  }

  /** The largest offset; only if there is one. */
  long last() {
    return runs[length - 1] - 1;
  }

  boolean contains(long offset) {
    int at = Arrays.binarySearch(runs, 0, length, offset);
    return at >= 0 ? (at & 1) == 0 : ((-at - 1) & 1) == 1;
  }

  /** The offsets of a window that are done, and those that were done before the assignment and have not come yet. */
  static DoneOffsets of(OffsetWindow window, DoneOffsets before) {
    Builder builder = new Builder();
    window.forEachDone(builder);
    builder.addBehind(window, before);
    return builder.build();
  }

  /** Returns true if {@link #encode} has room for all runs. */
  boolean fits(long committed, int mostCharacters) {
    return bytes(committed) <= room(mostCharacters);
  }

  /** The characters that {@link #encode} needs for all runs. */
  int characters(long committed) {
    int bytes = bytes(committed);
    return bytes == 0 ? 0 : VERSION_1.length() + (bytes + 2) / 3 * 4;
  }

  private int bytes(long committed) {
    int bytes = 0;
    long at = committed;
    for (int i = 0; i < length; i += 2) {
      bytes += varintBytes(runs[i] - at) + varintBytes(runs[i + 1] - runs[i]);
      at = runs[i + 1];
    }
    return bytes;
  }

  private static int varintBytes(long value) {
    return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
  }

  private static int room(int mostCharacters) {
    return (mostCharacters - VERSION_1.length()) / 4 * 3;
  }

  /** The text for the metadata of a committed offset; empty if no offset behind it is done. */
  String encode(long committed, int mostCharacters) {
    byte[] bytes = new byte[length * MOST_VARINT_BYTES];
    int size = 0;
    int most = room(mostCharacters);
    long at = committed;
    for (int i = 0; i < length; i += 2) {
      long from = Math.max(runs[i], at); // a commit passes records that compaction has removed
      if (from >= runs[i + 1]) {
        continue;
      }
      int next = putVarint(bytes, size, from - at);
      next = putVarint(bytes, next, runs[i + 1] - from);
      if (next > most) {
        break;
      }
      size = next;
      at = runs[i + 1];
    }
    return size == 0
        ? ""
        : VERSION_1 + Base64.getEncoder().withoutPadding().encodeToString(Arrays.copyOf(bytes, size));
  }

  private static int putVarint(byte[] bytes, int at, long value) {
    int p = at;
    long v = value;
    while ((v & ~0x7FL) != 0) {
      bytes[p++] = (byte) (v | 0x80);
      v >>>= 7;
    }
    bytes[p++] = (byte) v;
    return p;
  }

  /** Reads what {@link #encode} has written. The metadata of another client counts as no offsets. */
  static DoneOffsets decode(long committed, String metadata) {
    if (!metadata.startsWith(VERSION_1) || metadata.length() > MOST_TEXT) {
      return NONE;
    }
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(metadata.substring(VERSION_1.length()));
    } catch (IllegalArgumentException e) {
      return NONE;
    }
    Builder builder = new Builder();
    long at = committed;
    int p = 0;
    while (p < bytes.length) {
      for (int i = 0; i < 2; i++) {
        long count = 0;
        int shift = 0;
        int b;
        do {
          if (p == bytes.length || shift > 7 * (MOST_VARINT_BYTES - 1)) {
            return NONE;
          }
          b = bytes[p++];
          count |= (long) (b & 0x7F) << shift;
          shift += 7;
        } while (b < 0);
        boolean mayBeNone = i == 0 && at == committed; // what follows was done before, and has not come again yet
        if ((count == 0 && !mayBeNone) || count > Long.MAX_VALUE - at) {
          return NONE;
        }
        if (i == 1) {
          builder.run(at, at + count);
        }
        at += count;
      }
    }
    return builder.build();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("done");
    for (int i = 0; i < length; i += 2) {
      text.append(' ').append(runs[i]).append("..").append(runs[i + 1] - 1);
    }
    return text.toString();
  }

  /**
   * What would be done of a partition if records that wait for a transaction were committed. Used once.
   */
  static final class Planned implements OffsetWindow.Offsets {
    private final Builder runs = new Builder();
    private final long[] places;
    private final int count;
    private int next;
    private long first = OffsetWindow.NONE;
    private boolean follows;

    /** Plans the first {@code count} of these places, which are in ascending order. */
    Planned(long[] places, int count) {
      this.places = places;
      this.count = count;
    }

    @Override
    public void take(long place, long offset, boolean isDone) {
      while (next < count && places[next] < place) { // the window has forgotten it
        next++;
      }
      boolean isDoneThen = isDone || (next < count && places[next] == place);
      if (!isDoneThen && first == OffsetWindow.NONE) {
        first = offset;
      } else if (isDoneThen && first != OffsetWindow.NONE) {
        runs.take(offset, follows);
      }
      follows = isDoneThen && first != OffsetWindow.NONE;
    }

    /** The oldest offset that would not be done; {@link OffsetWindow#NONE} if the whole window would be. */
    long first() {
      return first;
    }

    /** Builds the offsets that are done behind it, with those of the assignment that have not come yet. Once. */
    DoneOffsets above(OffsetWindow window, DoneOffsets before) {
      runs.addBehind(window, before);
      return runs.build();
    }
  }

  private static final class Builder implements OffsetWindow.DoneOffsets {
    private long[] runs = new long[8];
    private int length;

    @Override
    public void take(long offset, boolean follows) {
      if (follows) {
        runs[length - 1] = offset + 1;
      } else {
        run(offset, offset + 1);
      }
    }

    void run(long from, long to) {
      if (length > 0 && runs[length - 1] == from) {
        runs[length - 1] = to;
        return;
      }
      if (length == runs.length) {
        runs = Arrays.copyOf(runs, length * 2);
      }
      runs[length++] = from;
      runs[length++] = to;
    }

    /** Adds offsets that were done at the assignment and lie behind the window. */
    void addBehind(OffsetWindow window, DoneOffsets before) {
      for (int i = 0; i < before.length; i += 2) {
        long from = Math.max(before.runs[i], window.last() + 1);
        if (from < before.runs[i + 1]) {
          run(from, before.runs[i + 1]);
        }
      }
    }

    DoneOffsets build() {
      return length == 0 ? NONE : new DoneOffsets(runs, length);
    }
  }
}
