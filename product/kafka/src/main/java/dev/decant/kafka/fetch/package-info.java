/**
 * Fetching: what a consumer asks brokers for, and what becomes of their responses. {@link
 * dev.decant.kafka.fetch.Fetcher} is the entry; nothing here knows the package {@code consumer}, which lies above. Not
 * exported.
 *
 * <p>Two threads meet here. The owner of the loop has sessions, requests and the fetch state of each partition; it
 * fills {@link dev.decant.kafka.fetch.FetchedQueue}. The polling thread empties the queue and releases what it has
 * handed out. Each method that is not for the owner of the loop says so.
 */
@NullMarked
package dev.decant.kafka.fetch;

import org.jspecify.annotations.NullMarked;
