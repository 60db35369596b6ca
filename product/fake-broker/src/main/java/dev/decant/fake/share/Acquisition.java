package dev.decant.fake.share;

import dev.decant.fake.log.AbortedTransaction;
import dev.decant.fake.share.FetchedBatches.Range;
import dev.decant.kafka.protocol.message.ShareFetchResponse.AcquiredRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;

/**
 * Delivers fetched records to a member: records that are available again, and new ones. From release 4.2 on, records
 * with many deliveries come in smaller groups, and those on their last delivery alone, so that one bad record does not
 * exhaust the deliveries of others.
 */
final class Acquisition {
  private static final int FEWEST_DELIVERIES_TO_THROTTLE = 2;

  private final SharePartition share;
  private final Wish wish;
  private final FetchedBatches fetched;
  private final int mostDeliveries;
  private final List<AcquiredRecords> acquired = new ArrayList<>();
  private long count;
  private long most;
  private long last;
  /** Time at which the locks of the acquired records expire. */
  private long lockEndMillis;

  /**
   * The limits in a member's fetch.
   *
   * @param member id of the member
   * @param isRecordLimit true if the number of records is a limit (KIP-1206), false if whole batches are delivered
   * @param batchSize number of records in a batch of acquired records
   * @param throttles true if records with many deliveries come apart
   */
  record Wish(String member, boolean isRecordLimit, int batchSize, boolean throttles) {}

  Acquisition(SharePartition share, Wish wish, FetchedBatches fetched) {
    this.share = share;
    this.wish = wish;
    this.fetched = fetched;
    this.mostDeliveries = share.mostDeliveries();
  }

  /**
   * Delivers records.
   *
   * @param fetchOffset offset at which the log was read
   * @param mostRecords most records for the member
   */
  List<AcquiredRecords> run(long fetchOffset, long mostRecords) {
    if (mostRecords <= 0 || fetched.isEmpty() || fetched.last() < share.start()) {
      return acquired;
    }
    bound(fetchOffset, mostRecords);
    share.archiveMissing(fetchOffset, fetched.first());
    long base = base();
    if (most <= 0 || Math.min(base, fetched.first()) > last) {
      return acquired;
    }
    lockEndMillis = share.lockEndMillis();
    NavigableMap<Long, InFlightBatch> known = share.batches().subMap(Math.min(base, fetched.first()), true, last, true);
    if (known.isEmpty()) {
      acquireNew(base, last);
    } else {
      long end = known.lastEntry().getValue().last();
      List.copyOf(known.values()).forEach(this::acquireKnown);
      if (count < most && end < last) {
        acquireNew(end + 1, last);
      }
    }
    return acquired;
  }

  /** Limits the range to the records in flight, if there may be no more of them. */
  private void bound(long fetchOffset, long mostRecords) {
    most = Math.min(mostRecords, share.mostLocks() - share.inFlight());
    last = fetched.last();
    if (most <= 0 && fetchOffset <= share.end()) {
      most = Math.min(mostRecords, share.end() - fetchOffset + 1);
      last = Math.min(last, share.end());
    }
  }

  private long base() {
    long first = fetched.first();
    InFlightBatch floor = share.floor(first);
    if (floor == null) {
      return Math.max(first, share.start());
    }
    return floor.last() >= first ? floor.first() : first;
  }

  private void acquireKnown(InFlightBatch batch) {
    if (count >= most) {
      return;
    }
    long first = fetched.first();
    boolean isThrottled = wish.throttles() && batch.largestCount(first, last) >= throttledFrom();
    if (isThrottled && count > 0) {
      most = 0;
      return;
    }
    boolean exceeds = wish.isRecordLimit() && batch.size() > most - count;
    if (!batch.isSplit() && !batch.whole().isAvailable()) {
      return;
    }
    if (batch.isWithin(first, last) && !batch.isSplit() && !exceeds && !isThrottled) {
      batch.whole().acquire(wish.member(), lockEndMillis);
      add(batch.first(), batch.last(), batch.whole().count());
      count += batch.size();
      return;
    }
    batch.split();
    long before = count;
    acquireSome(batch, most - count);
    if (isThrottled && count > before) {
      most = 0;
    }
  }

  private int throttledFrom() {
    return Math.max(FEWEST_DELIVERIES_TO_THROTTLE, (mostDeliveries + 1) / 2);
  }

  private void acquireSome(InFlightBatch batch, long limit) {
    long taken = 0;
    long throttledLimit = Long.MAX_VALUE;
    int known = acquired.size();
    for (long offset = Math.max(batch.first(), fetched.first()); offset <= Math.min(batch.last(), last); offset++) {
      Delivery delivery = batch.at(offset);
      if (!delivery.isAvailable()) {
        continue;
      }
      if (isLast(delivery.count() + 1) && taken > 0) {
        break;
      }
      if (wish.throttles() && delivery.count() >= throttledFrom() && throttledLimit == Long.MAX_VALUE) {
        throttledLimit = Math.max(1, batch.size() >> (delivery.count() - throttledFrom() + 1));
      }
      delivery.acquire(wish.member(), lockEndMillis);
      addNext(known, offset, delivery.count());
      taken++;
      if (isLast(delivery.count()) || taken == throttledLimit || (wish.isRecordLimit() && taken == limit)) {
        break;
      }
    }
    count += taken;
  }

  private boolean isLast(int deliveries) {
    return wish.throttles() && mostDeliveries > FEWEST_DELIVERIES_TO_THROTTLE && deliveries == mostDeliveries;
  }

  /** Adds a record to the range before it in the same batch, or as a new range. */
  private void addNext(int known, long offset, int deliveries) {
    AcquiredRecords before = acquired.size() > known ? acquired.getLast() : null;
    if (before != null && before.lastOffset() + 1 == offset && before.deliveryCount() == deliveries) {
      before.lastOffset(offset);
    } else {
      add(offset, offset, deliveries);
    }
  }

  private void add(long from, long to, int deliveries) {
    acquired.add(new AcquiredRecords().firstOffset(from).lastOffset(to).deliveryCount((short) deliveries));
  }

  private void acquireNew(long firstOffset, long lastOffset) {
    long from = share.batches().isEmpty() ? Math.max(firstOffset, share.end()) : firstOffset;
    long limit = most - count;
    long to = limit < lastOffset - from + 1 ? fetched.endOfBatchWith(from + limit - 1) : lastOffset;
    if (to < from) {
      return;
    }
    if (wish.isRecordLimit() && to - from + 1 > limit) {
      acquireFirst(from, to, limit);
      count += limit;
    } else {
      acquireBatches(from, to);
      count += to - from + 1;
    }
    share.delivered(from, to);
  }

  /** Delivers the first records of a batch; the others are in flight with it, and available. */
  private void acquireFirst(long from, long to, long limit) {
    InFlightBatch batch = new InFlightBatch(from, to, Delivery.available());
    batch.split();
    for (long offset = from; offset < from + limit; offset++) {
      batch.at(offset).acquire(wish.member(), lockEndMillis);
    }
    share.batches().put(from, batch);
    add(from, from + limit - 1, 1);
  }

  private void acquireBatches(long from, long to) {
    long first = from;
    if (!wish.isRecordLimit() && to - from + 1 > wish.batchSize()) {
      for (Range batch : fetched.all()) {
        if (batch.first() <= to && batch.first() - first >= wish.batchSize() && batch.first() > first) {
          acquireBatch(first, batch.first() - 1);
          first = batch.first();
        }
      }
    }
    acquireBatch(first, to);
  }

  private void acquireBatch(long from, long to) {
    Delivery delivery = Delivery.available();
    delivery.acquire(wish.member(), lockEndMillis);
    share.batches().put(from, new InFlightBatch(from, to, delivery));
    add(from, to, 1);
  }

  /** Archives acquired records whose transactions were aborted, and returns the others. */
  List<AcquiredRecords> withoutAborted(List<AcquiredRecords> all, List<AbortedTransaction> transactions) {
    List<AcquiredRecords> left = all;
    for (Range batch : fetched.aborted(transactions)) {
      InFlightBatch floor = share.floor(batch.first());
      long from = floor == null ? batch.first() : floor.first();
      share.archive(batch.first(), batch.last(), share.batches().subMap(from, true, batch.last(), true),
          RecordState.ACQUIRED);
      left = without(left, batch);
    }
    return left;
  }

  private static List<AcquiredRecords> without(List<AcquiredRecords> all, Range batch) {
    List<AcquiredRecords> left = new ArrayList<>();
    for (AcquiredRecords one : all) {
      if (one.firstOffset() < batch.first()) {
        left.add(copy(one, one.firstOffset(), Math.min(one.lastOffset(), batch.first() - 1)));
      }
      if (one.lastOffset() > batch.last()) {
        left.add(copy(one, Math.max(one.firstOffset(), batch.last() + 1), one.lastOffset()));
      }
    }
    return left;
  }

  private static AcquiredRecords copy(AcquiredRecords of, long from, long to) {
    return new AcquiredRecords().firstOffset(from).lastOffset(to).deliveryCount(of.deliveryCount());
  }
}
