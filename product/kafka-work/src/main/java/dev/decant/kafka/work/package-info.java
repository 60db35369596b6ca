/**
 * Parallel work on the records of a consumer group: by key, by partition or in no order, with retries, dead letters and
 * commits that lose nothing. Begin with {@link dev.decant.kafka.work.Work#on}.
 *
 * <pre>
 *   Consumer -&gt; WorkLoop -&gt; Slot, chained by key -&gt; ReadyRing -&gt; Worker -&gt; handler
 *                  ^                                               |
 *                  +-------- DoneStack &lt;---------------------------+     then: window of offsets -&gt; commit
 * </pre>
 */
@org.jspecify.annotations.NullMarked
package dev.decant.kafka.work;
