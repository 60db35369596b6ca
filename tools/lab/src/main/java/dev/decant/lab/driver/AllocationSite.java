package dev.decant.lab.driver;

import java.util.List;

/**
 * A place in the code at which a client allocates.
 *
 * @param way {@code produce} or {@code consume}
 * @param thread {@code caller}, {@code producer's I/O}, {@code consumer's I/O}, or a thread's name
 * @param type class of the objects
 * @param bytes estimated from the samples
 * @param frames innermost frames of the stack, innermost first
 */
public record AllocationSite(String way, String thread, String type, long bytes, List<String> frames) {}
