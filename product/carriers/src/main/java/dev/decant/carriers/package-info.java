/** Lowers the native priority of carrier threads, and raises it again. */
@NullMarked
package dev.decant.carriers;

import org.jspecify.annotations.NullMarked;
