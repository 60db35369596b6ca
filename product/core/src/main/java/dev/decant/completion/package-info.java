/** One-shot, reusable completions: a waiting thread is unparked when its result is there, and never polls. */
@NullMarked
package dev.decant.completion;

import org.jspecify.annotations.NullMarked;
