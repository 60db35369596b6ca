/**
 * Parallel work on the records of a consumer group: by key, by partition or in no order, with retries, dead letters and
 * commits that lose nothing. Begin with {@link dev.decant.kafka.work.Work#on}.
 *
 * <pre>
 *   Consumer -> WorkLoop -> Slot, chained by key -> ReadyRing -> Worker -> handler
 *                  ^                                               |
 *                  +-------- DoneStack <---------------------------+     then: window of offsets -> commit
 * </pre>
 */
@org.jspecify.annotations.NullMarked
package dev.decant.kafka.work;
