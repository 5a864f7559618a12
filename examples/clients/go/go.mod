module sordino-client

go 1.19
