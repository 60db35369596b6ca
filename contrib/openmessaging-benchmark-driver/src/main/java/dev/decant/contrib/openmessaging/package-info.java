/** A driver of the OpenMessaging Benchmark for Decant's own clients. */
@NullMarked
package dev.decant.contrib.openmessaging;

import org.jspecify.annotations.NullMarked;
